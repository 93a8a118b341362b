//! Which areas are joined by open doors. The one part of the map that changes, so it stands apart from it.

use crate::ids::AreaNum;
use crate::proto::limits::MAX_MAP_AREA_BYTES;

/// Open portals between the areas of a map.
///
/// A portal is counted: two doors in one doorway must both close before it is shut. Source: `CM_AdjustAreaPortalState`; what
/// drops the original server (closing what is not open, an area that is not there) is ignored here, see `quirks.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AreaPortals {
    area_count: usize,
    /// Open portals from area a to area b. Shape: area_count x area_count, symmetric but for a portal from an area to itself.
    open: Vec<i32>,
    /// Areas that can reach one another share a number.
    flood: Vec<u16>,
}

impl AreaPortals {
    /// All portals shut. Source: `CM_FloodAreaConnections`.
    pub fn new(area_count: usize) -> Self {
        let mut portals = Self { area_count, open: vec![0; area_count * area_count], flood: Vec::new() };
        portals.flood_areas();
        portals
    }

    /// Opens or closes one portal between two areas.
    pub fn adjust(&mut self, a: AreaNum, b: AreaNum, open: bool) {
        let (a, b) = (a.index(), b.index());
        if a >= self.area_count || b >= self.area_count {
            return;
        }
        let (forth, back) = (a * self.area_count + b, b * self.area_count + a);
        if open {
            self.open[forth] = self.open[forth].saturating_add(1);
            self.open[back] = self.open[back].saturating_add(1);
        } else if self.open[forth] > 0 && self.open[back] > 0 {
            self.open[forth] -= 1;
            self.open[back] -= 1;
        } else {
            return;
        }
        self.flood_areas();
    }

    /// Whether one can get from a to b through open portals. An area is connected to itself. Source: `CM_AreasConnected`.
    pub fn connected(&self, a: AreaNum, b: AreaNum) -> bool {
        match (self.flood.get(a.index()), self.flood.get(b.index())) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// Bit n is set if area n is connected to `area`; from no area at all, every bit up to the last used byte is.
    /// Source: `CM_WriteAreaBits`.
    pub fn visible_mask(&self, area: Option<AreaNum>) -> [u8; MAX_MAP_AREA_BYTES] {
        let mut mask = [0; MAX_MAP_AREA_BYTES];
        let Some(area) = area else {
            mask[..self.area_count.div_ceil(8).min(MAX_MAP_AREA_BYTES)].fill(u8::MAX);
            return mask;
        };
        let Some(flood) = self.flood.get(area.index()) else { return mask };
        for (number, other) in self.flood.iter().enumerate().take(MAX_MAP_AREA_BYTES * 8) {
            if other == flood {
                mask[number / 8] |= 1 << (number % 8);
            }
        }
        mask
    }

    /// Numbers the groups of connected areas anew.
    fn flood_areas(&mut self) {
        const UNREACHED: u16 = u16::MAX;
        self.flood.clear();
        self.flood.resize(self.area_count, UNREACHED);
        let mut pending = Vec::new();
        let mut group = 0;
        for start in 0..self.area_count {
            if self.flood[start] != UNREACHED {
                continue;
            }
            self.flood[start] = group;
            pending.push(start);
            while let Some(area) = pending.pop() {
                let row = &self.open[area * self.area_count..][..self.area_count];
                for (other, _) in row.iter().enumerate().filter(|&(_, &open)| open > 0) {
                    if self.flood[other] == UNREACHED {
                        self.flood[other] = group;
                        pending.push(other);
                    }
                }
            }
            group += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(number: u32) -> AreaNum {
        AreaNum::new(number)
    }

    #[test]
    fn a_doorway_with_two_doors_is_shut_when_both_are() {
        let mut portals = AreaPortals::new(3);
        portals.adjust(area(0), area(1), true);
        portals.adjust(area(1), area(0), true);
        portals.adjust(area(0), area(1), false);
        assert!(portals.connected(area(0), area(1)));
        portals.adjust(area(0), area(1), false);
        assert!(!portals.connected(area(0), area(1)));
        assert!(portals.connected(area(2), area(2)));
    }

    #[test]
    fn closing_what_is_shut_and_areas_of_another_map_change_nothing() {
        let mut portals = AreaPortals::new(2);
        let before = portals.clone();
        portals.adjust(area(0), area(1), false);
        portals.adjust(area(0), area(7), true);
        assert_eq!(portals, before);
        assert!(!portals.connected(area(0), area(7)));
    }

    #[test]
    fn the_mask_shows_what_is_connected_and_all_from_nowhere() {
        let mut portals = AreaPortals::new(10);
        portals.adjust(area(1), area(9), true);
        assert_eq!(portals.visible_mask(Some(area(9)))[..3], [0b10, 0b10, 0]);
        assert_eq!(portals.visible_mask(None)[..3], [255, 255, 0]);
    }
}
