//! A table that a tool prints: for reading, as CSV, or as JSON. The columns have the same names in all three.

use clap::Args;

/// How to print.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Output {
    /// Print comma-separated values.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print JSON, an object for each row.
    #[arg(long)]
    pub json: bool,
    /// Print a table of Markdown.
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    pub markdown: bool,
}

/// What stands in one place of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A measured number, and how many digits after the point are worth reading.
    Real(f64, usize),
    /// Not measured.
    Nothing,
}

impl Cell {
    /// Words.
    pub fn text(words: impl Into<String>) -> Self {
        Self::Text(words.into())
    }

    /// `part` of `whole` with two digits; nothing of nothing.
    pub fn ratio(part: f64, whole: f64, digits: usize) -> Self {
        if whole > 0.0 { Self::Real(part / whole, digits) } else { Self::Nothing }
    }

    fn plain(&self) -> String {
        match self {
            Self::Text(words) => words.clone(),
            Self::Count(count) => count.to_string(),
            Self::Real(value, digits) => format!("{value:.digits$}"),
            Self::Nothing => String::new(),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Text(words) => serde_json::Value::from(words.as_str()).to_string(),
            Self::Real(value, _) if !value.is_finite() => "null".to_owned(),
            Self::Nothing => "null".to_owned(),
            number => number.plain(),
        }
    }
}

/// Columns and rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has not as many cells as there are columns.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row has a cell for each column");
        self.rows.push(row);
    }

    /// Every row.
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// As text, ending with a line break.
    pub fn render(&self, output: Output) -> String {
        match output {
            Output { json: true, .. } => self.json(),
            Output { csv: true, .. } => self.csv(),
            Output { markdown: true, .. } => self.markdown(),
            Output { .. } => self.aligned(),
        }
    }

    /// As a table of Markdown.
    pub fn markdown(&self) -> String {
        let escape = |text: &str| text.replace('|', "\\|");
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|name| escape(name)).collect());
        text += &line(vec!["---:".to_owned(); self.columns.len()]);
        text.extend(self.rows.iter().map(|row| line(row.iter().map(|cell| escape(&cell.plain())).collect())));
        text
    }

    /// Words to the left, numbers to the right.
    fn aligned(&self) -> String {
        let plain: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::plain).collect()).collect();
        let width = |column: usize| {
            let cells = plain.iter().map(|row| row[column].chars().count());
            cells.chain([self.columns[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let is_words = |column: usize| self.rows.iter().any(|row| matches!(row[column], Cell::Text(_)));
        let words: Vec<bool> = (0..self.columns.len()).map(is_words).collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().enumerate().map(|(column, cell)| {
                // By hand, since a format's width ends at 65,535, and a message told in full does not.
                let blanks = " ".repeat(widths[column] - cell.chars().count());
                if words[column] { format!("{cell}{blanks}") } else { format!("{blanks}{cell}") }
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let mut text = line(&self.columns);
        for row in &plain {
            text += &line(row);
        }
        text
    }

    fn csv(&self) -> String {
        let field = |text: &str| {
            if text.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.to_owned()
            }
        };
        let mut text = self.columns.iter().map(|name| field(name)).collect::<Vec<_>>().join(",") + "\n";
        for row in &self.rows {
            text += &row.iter().map(|cell| field(&cell.plain())).collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        text
    }

    /// By hand, so that the columns keep their order.
    fn json(&self) -> String {
        let key = |name: &str| serde_json::Value::from(name).to_string();
        let row = |row: &Vec<Cell>| {
            let pairs =
                self.columns.iter().zip(row).map(|(name, cell)| format!("{}: {}", key(name), cell.json()));
            format!("  {{{}}}", pairs.collect::<Vec<_>>().join(", "))
        };
        format!("[\n{}\n]\n", self.rows.iter().map(row).collect::<Vec<_>>().join(",\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["name", "loss_pct", "seen"]);
        table.push(vec![Cell::text("a, \"b\""), Cell::Real(0.5, 2), Cell::Count(12)]);
        table.push(vec![Cell::text("c"), Cell::Nothing, Cell::Count(3)]);
        table
    }

    #[test]
    fn the_same_table_in_each_form() {
        let show = |csv, json| table().render(Output { csv, json, markdown: false });
        assert_eq!(
            show(false, false),
            "name    loss_pct  seen\na, \"b\"      0.50    12\nc                    3\n"
        );
        assert_eq!(show(true, false), "name,loss_pct,seen\n\"a, \"\"b\"\"\",0.50,12\nc,,3\n");
        let json: serde_json::Value = serde_json::from_str(&show(false, true)).unwrap();
        assert_eq!(json[0]["name"], "a, \"b\"");
        assert_eq!(json[0]["loss_pct"], 0.5);
        assert!(json[1]["loss_pct"].is_null());
        assert!(table().markdown().starts_with("| name | loss_pct | seen |\n| ---: | ---: | ---: |\n"));
    }

    #[test]
    fn a_cell_of_any_length_is_shown() {
        let mut table = Table::new(&["says", "bytes"]);
        table.push(vec![Cell::text("x".repeat(70_000)), Cell::Count(1)]);
        table.push(vec![Cell::text("y"), Cell::Count(22)]);
        let text = table.render(Output { csv: false, json: false, markdown: false });
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(lengths, [70_007; 3]);
    }
}
