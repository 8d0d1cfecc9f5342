//! A body on its way from the network's thread to one that works on it while the rest arrives.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Bytes that may lie in a pipe before the writer has to wait.
const ROOM: usize = 4 << 20;

#[derive(Default)]
struct State {
    pieces: VecDeque<Vec<u8>>,
    bytes: usize,
    /// The writer is gone; true: after the last byte.
    over: Option<bool>,
    /// The reader is gone.
    abandoned: bool,
    /// The writer, where it waits for room.
    writer: Option<Waker>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    filled: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end on the network's thread. Dropping it without [`Writer::finish`] tells the reader that the body is not whole.
pub struct Writer(Arc<Shared>);

/// The other end; reading blocks.
pub(crate) struct Reader(Arc<Shared>);

pub(crate) fn pipe() -> (Writer, Reader) {
    let shared = Arc::<Shared>::default();
    (Writer(shared.clone()), Reader(shared))
}

impl Writer {
    /// Adds a piece, waiting while the pipe is full. False where nobody reads any more.
    pub async fn write(&self, piece: Vec<u8>) -> bool {
        let mut piece = Some(piece);
        poll_fn(|context| {
            let mut state = self.0.lock();
            if state.abandoned {
                return Poll::Ready(false);
            }
            if state.bytes >= ROOM {
                state.writer = Some(context.waker().clone());
                return Poll::Pending;
            }
            if let Some(piece) = piece.take() {
                state.bytes += piece.len();
                state.pieces.push_back(piece);
                if state.pieces.len() == 1 {
                    self.0.filled.notify_one();
                }
            }
            Poll::Ready(true)
        })
        .await
    }

    /// Everything was written.
    pub fn finish(self) {
        self.0.lock().over = Some(true);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.over.get_or_insert(false);
        self.0.filled.notify_one();
    }
}

/// What [`Reader::read`] gives.
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    End,
    /// The connection failed, or the request was given up.
    Broken,
}

impl Reader {
    /// The next piece, as soon as there is one.
    pub(crate) fn read(&self) -> Piece {
        let mut state = self.0.lock();
        loop {
            if let Some(piece) = state.pieces.pop_front() {
                state.bytes -= piece.len();
                if state.bytes < ROOM
                    && let Some(waker) = state.writer.take()
                {
                    waker.wake();
                }
                return Piece::Bytes(piece);
            }
            match state.over {
                Some(true) => return Piece::End,
                Some(false) => return Piece::Broken,
                None => state = self.0.filled.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.abandoned = true;
        state.pieces.clear();
        if let Some(waker) = state.writer.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_reader_holds_the_writer() {
        let (writer, reader) = pipe();
        let reading = std::thread::spawn(move || {
            let mut total = 0;
            loop {
                match reader.read() {
                    Piece::Bytes(bytes) => total += bytes.len(),
                    Piece::End => return Some(total),
                    Piece::Broken => return None,
                }
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for _ in 0..40 {
                assert!(writer.write(vec![0; 1 << 20]).await);
            }
            writer.finish();
        });
        assert_eq!(reading.join().unwrap(), Some(40 << 20));
    }

    #[test]
    fn either_end_can_give_up() {
        let (writer, reader) = pipe();
        drop(writer);
        assert!(matches!(reader.read(), Piece::Broken));
        let (writer, reader) = pipe();
        drop(reader);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(!runtime.block_on(writer.write(vec![1])));
    }
}
