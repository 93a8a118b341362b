//! Rows of golden CSV files, read by the names of their columns.

use crate::golden;
use fogline_common::math::{Vec3, vec3};
use std::collections::HashMap;

/// One row.
#[derive(Clone, Debug, Default)]
pub struct Row(HashMap<String, String>);

/// Every row of a file, plain or packed: the recording may have either.
pub fn rows(name: &str) -> Vec<Row> {
    let (header, rows) = golden::csv(name);
    rows.into_iter().map(|row| Row(header.iter().cloned().zip(row).collect())).collect()
}

impl Row {
    /// The text of a column.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn text(&self, column: &str) -> &str {
        self.0.get(column).unwrap_or_else(|| panic!("no column {column}: {self:?}"))
    }

    /// Whether the row has a value in this column.
    pub fn has(&self, column: &str) -> bool {
        self.0.get(column).is_some_and(|text| !text.is_empty())
    }

    /// A number.
    ///
    /// # Panics
    /// If it is none.
    pub fn int(&self, column: &str) -> i32 {
        self.text(column).parse().unwrap_or_else(|e| panic!("{column}: {e}: {self:?}"))
    }

    /// A number.
    ///
    /// # Panics
    /// If it is none.
    pub fn float(&self, column: &str) -> f32 {
        self.text(column).parse().unwrap_or_else(|e| panic!("{column}: {e}: {self:?}"))
    }

    /// Whether a number is not 0.
    pub fn flag(&self, column: &str) -> bool {
        self.int(column) != 0
    }

    /// Three columns with a common beginning, ending in x, y, z.
    pub fn vector(&self, prefix: &str) -> Vec3 {
        let part = |axis: char| self.float(&format!("{prefix}{axis}"));
        vec3(part('x'), part('y'), part('z'))
    }

    /// Numbers with blanks between.
    ///
    /// # Panics
    /// If one of them is none.
    pub fn ints(&self, column: &str) -> Vec<i32> {
        let number = |text: &str| text.parse().unwrap_or_else(|e| panic!("{column}: {e}: {self:?}"));
        self.text(column).split_ascii_whitespace().map(number).collect()
    }
}
