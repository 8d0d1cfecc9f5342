//! Processes that tests have started and left.

use base::descendants;
use engine::op;

/// From now on processes whose parents end become children of this one, so that [`kill_descendants`] finds them.
#[op]
pub(crate) fn adopt_descendants() {
    descendants::adopt();
}

/// Ends all processes below this one, or those of them in its process group; how many there were.
#[op]
pub(crate) fn kill_descendants(of_group: bool) -> u32 {
    descendants::kill(of_group)
}
