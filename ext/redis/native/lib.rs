//! Native half of `Bun.redis` (family `redis`): commands become bytes, and replies settle the promises that wait for them, straight
//! from the buffer that was read (<https://github.com/redis/redis-specifications/blob/master/protocol/RESP3.md>).

mod link;
mod scan;
mod value;

engine::ops!(pub fn family "redis" {
    link::link,
    link::attach,
    link::detach,
    link::hold,
    link::pending,
    link::set_old,
    link::command,
    link::ask,
    link::flush,
    link::unsent,
});
