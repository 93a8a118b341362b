//! Small scenes of the compat profile against recordings of OpenMoHAA: two players, a few boxes, frame by frame.

use fogline_common::math::{Bounds, Vec3};
use fogline_common::time::ServerTime;
use fogline_server::visibility::far::Class;
use fogline_server::visibility::sight::compat::{Pair, Terms, decide};
use fogline_server::visibility::{Mode, Verdict, horizon};
use fogline_tests::rows::{Row, rows};

/// A box of the recording's stand-in world.
struct Block {
    bounds: Bounds,
    /// A brush of the world lets a ray out that begins inside; a brush entity does not.
    is_world: bool,
}

impl Block {
    fn stops(&self, from: Vec3, to: Vec3) -> bool {
        if self.bounds.contains(from) {
            return !self.is_world || self.bounds.contains(to);
        }
        let way = to - from;
        let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
        for axis in 0..3 {
            if way[axis] == 0.0 {
                if from[axis] < self.bounds.mins[axis] || from[axis] > self.bounds.maxs[axis] {
                    return false;
                }
                continue;
            }
            let a = (self.bounds.mins[axis] - from[axis]) / way[axis];
            let b = (self.bounds.maxs[axis] - from[axis]) / way[axis];
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter <= leave
    }
}

fn blocks(scene: &str, all: &[Row]) -> Vec<Block> {
    let of_scene = all.iter().filter(|row| row.text("scene") == scene);
    of_scene
        .map(|row| Block {
            bounds: Bounds::new(row.vector("min"), row.vector("max")),
            is_world: row.text("kind") == "world",
        })
        .collect()
}

fn run(scene: &Row, blocks: &[Block], frames: &[Row]) {
    let name = scene.text("scene");
    let mut until = None;
    for frame in frames.iter().filter(|row| row.text("scene") == name) {
        let clear = |from: Vec3, to: Vec3| !blocks.iter().any(|block| block.stops(from, to));
        let now = ServerTime(frame.int("svs_time"));
        let (eye, target) = (frame.vector("ve"), frame.vector("te"));
        assert_eq!(clear(eye, target), frame.flag("eye_line_clear_now"), "stand-in world: {frame:?}");
        let terms = Terms {
            mode: if scene.int("mode") == 1 { Mode::FarOnly } else { Mode::Always },
            class: if scene.text("dist_class") == "IN" { Class::In } else { Class::Clip },
            until,
            now,
            horizon: horizon(3, scene.float("frame_time")),
        };
        let pair = Pair {
            viewer_eye: eye,
            viewer_velocity: scene.vector("vv"),
            forward: scene.vector("f"),
            target_eye: target,
            target_velocity: scene.vector("tv"),
            target_view_height: scene.int("target_viewheight"),
        };
        let mut asked = 0;
        let verdict = decide(&terms, &pair, |from, to| {
            asked += 1;
            clear(from, to)
        });
        if let Verdict::Send(cause) = verdict
            && cause.is_sighting()
        {
            until = Some(ServerTime(now.0 + 200));
        }
        assert_eq!(matches!(verdict, Verdict::Send(_)), frame.flag("visible"), "{frame:?}");
        assert_eq!(until.map_or(0, |until| until.0), frame.int("until"), "{frame:?}");
        assert_eq!(asked, frame.int("n_traces"), "{frame:?}");
    }
}

#[test]
fn golden_visibility_scenes() {
    let (all, frames) = (rows("visibility/g_scenes_boxes.csv"), rows("visibility/g_scenes_frames.csv.gz"));
    for scene in rows("visibility/g_scenes.csv") {
        run(&scene, &blocks(scene.text("scene"), &all), &frames);
    }
}
