//! One binary for all tests that need more than one crate. A module is a topic.

mod determinism;
mod game_maps;
mod game_rules;
mod gamedata;
mod golden_client_clock;
mod golden_client_lerp;
mod golden_cm;
mod golden_delta;
mod golden_game;
mod golden_huffman;
mod golden_live;
mod golden_netchan;
mod golden_pmove;
mod golden_visibility;
mod golden_visibility_scenes;
mod hostile;
mod installed_files;
mod installed_maps;
mod join;
mod map_changes;
mod pairs;
mod reliable_commands;
mod soak;
mod speed;
mod tidy;
