//! The page of measurements: a head, then sections by title, each of which may be replaced.

/// Begins a section.
const HEADING: &str = "## ";

/// A page in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    head: String,
    /// Title and text, in order.
    sections: Vec<(String, String)>,
}

impl Page {
    /// Takes a page apart.
    pub(super) fn parse(text: &str) -> Self {
        let mut page = Self { head: String::new(), sections: Vec::new() };
        for line in text.lines() {
            if let Some(title) = line.strip_prefix(HEADING) {
                page.sections.push((title.trim().to_owned(), String::new()));
                continue;
            }
            let into = page.sections.last_mut().map_or(&mut page.head, |(_, body)| body);
            into.push_str(line);
            into.push('\n');
        }
        page
    }

    /// Replaces the section of that title, or adds it at the end.
    pub(super) fn put(&mut self, title: &str, body: &str) {
        match self.sections.iter_mut().find(|(own, _)| own == title) {
            Some((_, own)) => body.clone_into(own),
            None => self.sections.push((title.to_owned(), body.to_owned())),
        }
    }

    /// The whole page.
    pub(super) fn render(&self) -> String {
        let mut text = format!("{}\n", self.head.trim_end());
        for (title, body) in &self.sections {
            text += &format!("\n{HEADING}{title}\n\n{}\n", body.trim());
        }
        text
    }
}

/// A text whose tables keep only these columns; all of them if none is named. A table with none of them stays whole.
pub(super) fn only_columns(text: &str, columns: &[String]) -> String {
    let mut kept: Option<Vec<usize>> = None;
    let mut out = String::new();
    for line in text.lines() {
        let Some(inner) = line.strip_prefix("| ").and_then(|rest| rest.strip_suffix(" |")) else {
            kept = None;
            out += line;
            out.push('\n');
            continue;
        };
        let cells: Vec<&str> = inner.split(" | ").collect();
        // The first line of a table names its columns.
        let own = kept.get_or_insert_with(|| {
            let found: Vec<usize> =
                (0..cells.len()).filter(|&n| columns.iter().any(|column| column == cells[n])).collect();
            if found.is_empty() { (0..cells.len()).collect() } else { found }
        });
        let chosen: Vec<&str> = own.iter().filter_map(|&n| cells.get(n).copied()).collect();
        out += &format!("| {} |\n", chosen.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_section_is_replaced_and_the_others_stay() {
        let mut page = Page::parse("# Head\n\nwords\n\n## a\n\nold a\n\n## b\n\nold b\n");
        page.put("a", "new a");
        page.put("c", "new c\n");
        let text = page.render();
        assert_eq!(text, "# Head\n\nwords\n\n## a\n\nnew a\n\n## b\n\nold b\n\n## c\n\nnew c\n");
        assert_eq!(Page::parse(&text).render(), text);
    }

    #[test]
    fn tables_keep_the_columns_that_are_named() {
        let text =
            "words | x\n\n| a | b | c |\n| ---: | ---: | ---: |\n| 1 |  | 3 |\n\n| d |\n| ---: |\n| 4 |\n";
        let columns = ["a".to_owned(), "b".to_owned()];
        assert_eq!(
            only_columns(text, &columns),
            "words | x\n\n| a | b |\n| ---: | ---: |\n| 1 |  |\n\n| d |\n| ---: |\n| 4 |\n"
        );
        assert_eq!(only_columns(text, &[]), text);
    }
}
