//! What a compile has to say, shown with the lines of the source that it is about.

use crate::diagnostics::{Diagnostic, Severity};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};
use std::io::IsTerminal;

/// Longest part of a source that is marked. Unit: bytes. A brush of hundreds of lines is shown by its beginning.
const MOST_MARKED: usize = 240;

/// For people: a line that editors can jump to, then the source. `text` is the map's.
pub(super) fn to_text(said: &Diagnostic, file: &str, text: &str) -> String {
    let colours = std::io::stderr().is_terminal();
    let theme = if colours { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler =
        GraphicalReportHandler::new_themed(theme).with_width(118).with_links(false).with_context_lines(1);
    let severity = match said.severity {
        Severity::Error => miette::Severity::Error,
        Severity::Warning => miette::Severity::Warning,
    };
    let mut report = MietteDiagnostic::new(said.headline(file)).with_code(said.code).with_severity(severity);
    if !said.help.is_empty() {
        report = report.with_help(&said.help);
    }
    let span = said.site.as_ref().map(|site| site.span).filter(|span| span.line > 0);
    let mut shown = String::new();
    let written = match span.filter(|span| span.start < text.len()) {
        Some(span) => {
            let length = span.len.min(MOST_MARKED).min(text.len() - span.start);
            report = report.and_label(LabeledSpan::at(span.start..span.start + length, "here"));
            let report =
                miette::Report::new(report).with_source_code(NamedSource::new(file, text.to_owned()));
            handler.render_report(&mut shown, report.as_ref())
        }
        None => handler.render_report(&mut shown, &report),
    };
    if written.is_err() {
        return said.to_text(file);
    }
    shown.trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Site;
    use crate::geometry::dvec3;
    use crate::map_file::MapFile;

    #[test]
    fn a_complaint_shows_line_brush_place_source_and_what_to_do() {
        let text =
            "{\n\"classname\" \"worldspawn\"\n{\n( 0 0 0 ) ( 1 1 1 ) ( 2 2 2 ) base/wall 0 0 0 1 1\n}\n}\n";
        let map = MapFile::parse(text.as_bytes()).expect("a map");
        let face = &map.entities[0].brushes[0].faces[0];
        let site = Site { span: face.span, entity: Some(0), class: "worldspawn".to_owned(), brush: Some(0) };
        let said = Diagnostic::warning("flat-face", "the three points of a face lie on one line")
            .site(&site)
            .at(dvec3(0.0, 0.0, 8.0))
            .help("rebuild it");
        let shown = to_text(&said, "a.map", text);
        for part in
            ["a.map:4:", "entity 0 (worldspawn), brush 0", "at 0 0 8", "( 1 1 1 )", "rebuild it", "flat-face"]
        {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }
}
