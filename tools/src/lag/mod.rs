//! `fogtool lag`: a bad connection between any client and any server, as a UDP proxy.
//!
//! [`proxy`] decides what happens to which datagram and when, without socket and clock; [`relay`] carries it out.

pub mod measure;
pub mod proxy;
pub mod relay;

use crate::lag::proxy::Links;
use crate::lag::relay::Relay;
use crate::link::LinkConfig;
use crate::rim::resolve;
use crate::swarm::bar;
use crate::table::Output;
use clap::Args;
use fogline_common::time::{Arrival, Millis};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest wait before it is looked whether the run is over. Unit: µs.
const LOOK_UP_EVERY_MICROS: u64 = 500_000;

/// One value for both directions, or one for each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EachWay<T> {
    up: T,
    down: T,
}

impl<T: FromStr + Copy> FromStr for EachWay<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| {
            part.parse::<T>()
                .map_err(|_| format!("{part:?} is no number; write N, or UP/DOWN for each direction"))
        };
        match text.split_once('/') {
            Some((up, down)) => Ok(Self { up: number(up)?, down: number(down)? }),
            None => number(text).map(|both| Self { up: both, down: both }),
        }
    }
}

/// Where it stands, and how bad it is. Each value may be UP/DOWN: towards the server / towards the client.
#[derive(Args, Debug)]
pub struct LagArgs {
    /// Where clients connect: host:port, or a port of this machine that only it can reach.
    #[arg(long, value_name = "A", default_value = "0", required_unless_present = "measure")]
    pub listen: String,
    /// The server.
    #[arg(long, value_name = "B", default_value = "", required_unless_present = "measure")]
    pub to: String,
    /// Relay for nobody: send so many datagrams through on this machine and tell what delay and loss they really had. Exit code 0
    /// only if medians are within 1 ms and losses within 0.2 points of what was asked.
    #[arg(long, value_name = "DATAGRAMS", conflicts_with_all = ["listen", "to"], value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub measure: Option<u64>,
    /// Time on the way, in ms.
    #[arg(long, value_name = "MS", default_value = "0")]
    pub delay: EachWay<u16>,
    /// Extra time, evenly spread from 0 to this, in ms; alone it never reorders.
    #[arg(long, value_name = "MS", default_value = "0")]
    pub jitter: EachWay<u16>,
    /// Share lost, in percent.
    #[arg(long, value_name = "PCT", default_value = "0")]
    pub loss: EachWay<f64>,
    /// Share held back so that later ones overtake it, in percent.
    #[arg(long, value_name = "PCT", default_value = "0")]
    pub reorder: EachWay<f64>,
    /// How long those are held back, in ms.
    #[arg(long, value_name = "MS", default_value = "60")]
    pub reorder_by: EachWay<u16>,
    /// Share that arrives twice, in percent.
    #[arg(long, value_name = "PCT", default_value = "0")]
    pub duplicate: EachWay<f64>,
    /// Bytes per second that fit, headers of IP and UDP included; 0 for no limit. What would queue over half a second is lost.
    #[arg(long, value_name = "BYTES", default_value = "0")]
    pub rate: EachWay<u32>,
    /// Decides everything random: equal seeds give equal fates to the n-th datagram of the k-th client.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// End after so many seconds; without it, at Ctrl-C.
    #[arg(long)]
    pub seconds: Option<u32>,
    /// How to print what it did, when it ends.
    #[command(flatten)]
    pub output: Output,
}

impl LagArgs {
    /// Both directions.
    ///
    /// # Errors
    /// If a share is none.
    pub fn links(&self) -> Result<Links, String> {
        let direction = |pick: fn(&EachWay<f64>) -> f64, way: usize| -> Result<LinkConfig, String> {
            let share = |name: &str, value: &EachWay<f64>| {
                let percent = pick(value);
                let fits = (0.0..=100.0).contains(&percent);
                fits.then_some(percent / 100.0)
                    .ok_or_else(|| format!("--{name} {percent}: must be 0 to 100 percent"))
            };
            let millis = |value: &EachWay<u16>| Millis(i32::from([value.up, value.down][way]));
            let rate = [self.rate.up, self.rate.down][way];
            Ok(LinkConfig {
                delay: millis(&self.delay),
                jitter: millis(&self.jitter),
                loss: share("loss", &self.loss)?,
                duplicate: share("duplicate", &self.duplicate)?,
                reorder: share("reorder", &self.reorder)?,
                reorder_by: millis(&self.reorder_by),
                rate_bytes_per_s: (rate > 0).then_some(rate),
            })
        };
        Ok(Links { up: direction(|value| value.up, 0)?, down: direction(|value| value.down, 1)? })
    }
}

/// A lone port is one of this machine alone.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    match text.parse::<u16>() {
        Ok(port) => Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        Err(_) => resolve(text),
    }
}

/// Relays until the time is over or the user ends it, and prints what it did.
///
/// # Errors
/// A sentence, if a socket cannot be had or fails.
pub fn run(args: &LagArgs) -> Result<bool, String> {
    if let Some(count) = args.measure {
        return run_measure(args, count);
    }
    let listen = listen_address(&args.listen)?;
    let say = |error: std::io::Error| format!("{listen}: {error}");
    let mut relay = Relay::open(listen, resolve(&args.to)?, args.links()?, args.seed).map_err(say)?;
    let over = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, over.clone()).map_err(say)?;
    }
    eprintln!("fogtool lag: clients connect to {}", relay.address().map_err(say)?);
    let end =
        args.seconds.map_or(Arrival(u64::MAX), |seconds| Arrival::from_millis(u64::from(seconds) * 1000));
    while !over.load(Ordering::Relaxed) && relay.now() < end {
        let look_up = Arrival(relay.now().0.saturating_add(LOOK_UP_EVERY_MICROS));
        relay.step(look_up.min(end)).map_err(say)?;
    }
    show!("{}", relay.proxy().table().render(args.output));
    Ok(true)
}

fn run_measure(args: &LagArgs, count: u64) -> Result<bool, String> {
    let bar = bar(count);
    bar.set_message("measuring");
    let (table, within) = measure::measure(args.links()?, args.seed, count, |sent| bar.set_position(sent))
        .map_err(|error| format!("loopback: {error}"))?;
    bar.finish_and_clear();
    show!("{}", table.render(args.output));
    Ok(within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: LagArgs,
    }

    fn links(words: &str) -> Result<Links, String> {
        let line = format!("lag --listen 5000 --to 127.0.0.1 {words}");
        Line::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())?.args.links()
    }

    #[test]
    fn one_value_is_for_both_ways_and_two_are_for_each() {
        let both = links("--delay 40 --loss 2.5 --rate 0/9000").unwrap();
        assert_eq!((both.up.delay, both.down.delay), (Millis(40), Millis(40)));
        assert_eq!((both.up.loss, both.up.rate_bytes_per_s), (0.025, None));
        assert_eq!(both.down.rate_bytes_per_s, Some(9000));
        let each = links("--delay 10/30 --loss 0/100 --reorder-by 5").unwrap();
        assert_eq!(
            (each.up.delay, each.down.delay, each.down.reorder_by),
            (Millis(10), Millis(30), Millis(5))
        );
        assert_eq!((each.up.loss, each.down.loss), (0.0, 1.0));
        for wrong in ["--loss 101", "--loss -1/0", "--delay x", "--delay 1/2/3", "--loss NaN"] {
            assert!(links(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_lone_port_listens_on_this_machine_alone() {
        assert_eq!(listen_address("5000").unwrap().to_string(), "127.0.0.1:5000");
        assert_eq!(listen_address("0.0.0.0:5000").unwrap().to_string(), "0.0.0.0:5000");
    }
}
