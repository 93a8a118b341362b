//! A short soak; the long one is a program of its own (`long_soak`), since it counts the heap.

use fogline_common::time::Millis;
use fogline_tests::soak;

#[test]
fn short_soak_on_bad_links_stays_in_step() {
    let mut sim = soak::begin(41, 8, |server| server);
    sim.run(Millis(30_000));
    soak::check(&sim);
}
