// Materials of the Fogline arena that are more than a picture. Pictures and scripts were made for the project.

textures/fogarena1/sky
{
	qer_editorimage textures/fogarena1/sky.jpg
	surfaceparm sky
	surfaceparm noimpact
	surfaceparm nomarks
	surfaceparm nolightmap
	q3map_sun 1 0.95 0.85 150 60 62
	q3map_surfacelight 90
	q3map_lightRGB 0.75 0.87 1
	skyparms - 512 -
	{
		map textures/fogarena1/sky.jpg
		tcMod scale 2 2
		tcMod scroll 0.01 0.015
		rgbGen identityLighting
	}
}

textures/fogarena1/lamp
{
	qer_editorimage textures/fogarena1/lamp.jpg
	surfaceparm nomarks
	surfaceparm nolightmap
	q3map_surfacelight 600
	{
		map textures/fogarena1/lamp.jpg
		rgbGen identity
	}
}

textures/fogarena1/water
{
	qer_editorimage textures/fogarena1/water.jpg
	qer_trans 0.5
	surfaceparm water
	surfaceparm nonsolid
	surfaceparm trans
	surfaceparm nomarks
	surfaceparm nolightmap
	cull none
	deformVertexes wave 128 sin 0 1.5 0 0.4
	{
		map textures/fogarena1/water.jpg
		blendfunc GL_DST_COLOR GL_ONE
		tcMod scale 0.5 0.5
		tcMod scroll 0.03 0.02
		rgbGen identity
	}
	{
		map textures/fogarena1/water.jpg
		blendfunc add
		tcMod scale 0.7 0.6
		tcMod scroll -0.02 0.03
		rgbGen const ( 0.35 0.35 0.35 )
	}
}

textures/fogarena1/glass
{
	qer_editorimage textures/fogarena1/glass.jpg
	qer_trans 0.4
	surfaceparm trans
	surfaceparm nomarks
	surfaceparm nolightmap
	cull none
	{
		map textures/fogarena1/glass.jpg
		blendfunc add
		tcGen environment
		rgbGen identity
	}
	{
		map textures/fogarena1/glass.jpg
		blendfunc add
		rgbGen identity
	}
}

textures/fogarena1/grate
{
	qer_editorimage textures/fogarena1/grate.tga
	surfaceparm trans
	surfaceparm nomarks
	surfaceparm metalsteps
	cull none
	nopicmip
	{
		map textures/fogarena1/grate.tga
		alphaFunc GE128
		depthWrite
		rgbGen exactVertex
	}
}

textures/fogarena1/pad
{
	qer_editorimage textures/fogarena1/pad.jpg
	surfaceparm nomarks
	surfaceparm metalsteps
	q3map_surfacelight 120
	q3map_lightRGB 1 0.6 0.25
	{
		map textures/fogarena1/pad.jpg
		rgbGen exactVertex
	}
	{
		map textures/fogarena1/glow.jpg
		blendfunc add
		rgbGen wave sawtooth 0.2 0.8 0 1.2
	}
}

textures/fogarena1/swirl
{
	qer_editorimage textures/fogarena1/swirl.jpg
	surfaceparm nomarks
	surfaceparm nolightmap
	q3map_surfacelight 250
	q3map_lightRGB 0.6 0.45 1
	{
		map textures/fogarena1/swirl.jpg
		tcMod rotate 40
		rgbGen identity
	}
	{
		map textures/fogarena1/swirl.jpg
		blendfunc add
		tcMod rotate -65
		rgbGen wave sin 0.3 0.2 0 0.5
	}
}

textures/fogarena1/portal
{
	qer_editorimage textures/fogarena1/glass.jpg
	surfaceparm nomarks
	surfaceparm nolightmap
	portal
	{
		map textures/fogarena1/glass.jpg
		blendfunc add
		depthWrite
		rgbGen identity
	}
}

textures/fogarena1/plate
{
	qer_editorimage textures/fogarena1/plate.jpg
	surfaceparm metalsteps
	{
		map textures/fogarena1/plate.jpg
		rgbGen exactVertex
	}
}
