//! A profile as a `.cpuprofile` file, which is the protocol's `Profiler.Profile`
//! (<https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile>). Times are microseconds of the system's clock.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Readable;

/// Microseconds between the monotonic clock and the system's.
fn clock_offset() -> u64 {
    let monotonic = engine::monotonic_micros();
    let system = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
    system.saturating_sub(monotonic)
}

pub(super) fn write(readable: &Readable<'_>) -> String {
    let profile = readable.profile;
    let count = profile.nodes.len();
    let mut hits = vec![0u32; count];
    // Samples by the line where they were: only of nodes that were on top.
    let mut ticks: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
    for (sample, &line) in profile.samples.iter().zip(&readable.lines) {
        let node = sample.node as usize;
        hits[node] += 1;
        if line == 0 {
            continue;
        }
        match ticks[node].iter_mut().find(|tick| tick.0 == line) {
            Some(tick) => tick.1 += 1,
            None => ticks[node].push((line, 1)),
        }
    }
    // Nodes of other profiles of the same time are left out. A node comes after its caller.
    let mut used: Vec<bool> = hits.iter().map(|&hits| hits > 0).collect();
    used[0] = true;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    for node in (1..count).rev() {
        if used[node] {
            let parent = profile.nodes[node].parent as usize;
            used[parent] = true;
            children[parent].push(node);
        }
    }
    let mut ids = vec![0usize; count];
    let mut next = 0;
    for node in 0..count {
        if used[node] {
            next += 1;
            ids[node] = next;
        }
    }

    let mut out = String::from("{\"nodes\":[");
    for node in (0..count).filter(|&node| used[node]) {
        let frame = readable.frame(node as u32);
        let comma = if node > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{{\"id\":{},\"callFrame\":{{\"functionName\":", ids[node]);
        json::quote(&frame.name, &mut out);
        let _ = write!(out, ",\"scriptId\":\"{}\",\"url\":", frame.script);
        json::quote(&frame.url, &mut out);
        let _ = write!(
            out,
            ",\"lineNumber\":{},\"columnNumber\":{}}},\"hitCount\":{}",
            frame.line, frame.column, hits[node]
        );
        if !children[node].is_empty() {
            out.push_str(",\"children\":[");
            for (index, &child) in children[node].iter().rev().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(out, "{comma}{}", ids[child]);
            }
            out.push(']');
        }
        if !ticks[node].is_empty() {
            out.push_str(",\"positionTicks\":[");
            for (index, (line, ticks)) in ticks[node].iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(out, "{comma}{{\"line\":{line},\"ticks\":{ticks}}}");
            }
            out.push(']');
        }
        out.push('}');
    }
    let offset = clock_offset();
    let _ =
        write!(out, "],\"startTime\":{},\"endTime\":{},\"samples\":[", profile.start + offset, profile.end + offset);
    for (index, sample) in profile.samples.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{}", ids[sample.node as usize]);
    }
    out.push_str("],\"timeDeltas\":[");
    for (index, delta) in readable.deltas().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{delta}");
    }
    out.push_str("]}");
    out
}
