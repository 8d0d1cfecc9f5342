//! Commands of a version: from its manifest into the graph.

use super::{Manifest, VERSION_BIN_FILE, VersionRecord};
use crate::model::graph::{Bin, Graph};

impl Manifest {
    /// The commands of a version, as a package of `graph` has them.
    pub fn add_bin(&self, record: &VersionRecord, graph: &mut Graph) -> Bin {
        let bins = self.bins(record);
        if record.flags & VERSION_BIN_FILE != 0 {
            return bins.first().map_or(Bin::None, |bin| Bin::File(graph.text.add(self.str(bin.path))));
        }
        if !bins.is_empty() {
            let off = graph.bin_entries.len() as u32;
            for bin in bins {
                let entry = (graph.text.add(self.str(bin.name)), graph.text.add(self.str(bin.path)));
                graph.bin_entries.push(entry);
            }
            return Bin::Map(off, bins.len() as u32);
        }
        match self.str(record.bin_dir) {
            "" => Bin::None,
            dir => Bin::Dir(graph.text.add(dir)),
        }
    }
}
