//! Turns what happens in a turn into events.

use crate::{Engine, Event};
use futures::future::BoxFuture;
use memory_model::{MessageId, Node, TurnState};
use tokio_util::sync::CancellationToken;
use turn::TurnObserver;

/// Where a test wants the process to stand still, to kill it there with `SIGKILL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// At which node.
    pub node: Node,
    /// Behind its checkpoint; otherwise behind its work and before its checkpoint.
    pub after_checkpoint: bool,
}

impl Fault {
    /// Reads `NODE` or `NODE:checkpoint`. Builds without debug assertions know no faults.
    pub fn parse(text: &str) -> Option<Self> {
        if !cfg!(debug_assertions) {
            return None;
        }
        let (name, after_checkpoint) = match text.strip_suffix(":checkpoint") {
            Some(name) => (name, true),
            None => (text, false),
        };
        let node = Node::ALL.into_iter().find(|node| node.name() == name)?;
        Some(Self {
            node,
            after_checkpoint,
        })
    }
}

pub(crate) struct Observer {
    pub engine: Engine,
    pub stopped: CancellationToken,
}

impl Observer {
    /// Says where it is and waits there, so that the test that set the fault can kill the process.
    #[expect(clippy::print_stderr, reason = "the test that set the fault reads this line")]
    fn stand_still_at(&self, node: Node, after_checkpoint: bool) {
        if cfg!(debug_assertions)
            && self.engine.inner.fault
                == Some(Fault {
                    node,
                    after_checkpoint,
                })
        {
            eprintln!("fault: {}", node.name());
            loop {
                std::thread::park();
            }
        }
    }
}

impl TurnObserver for Observer {
    fn node_started(&self, turn: &TurnState, node: Node) {
        if let Some(thread_id) = turn.thread_id.clone() {
            self.engine.publish(Event::NodeStarted {
                thread_id,
                turn_id: turn.turn_id.clone(),
                node,
            });
        }
    }

    fn node_ran(&self, _turn: &TurnState, node: Node) {
        self.stand_still_at(node, false);
    }

    fn checkpointed(&self, _turn: &TurnState, node: Node) {
        self.stand_still_at(node, true);
    }

    fn piece(&self, turn: &TurnState, message: &MessageId, piece: &str) {
        if let Some(thread_id) = turn.thread_id.clone() {
            self.engine.publish(Event::AnswerPiece {
                thread_id,
                turn_id: turn.turn_id.clone(),
                message_id: message.clone(),
                piece: piece.to_owned(),
            });
        }
    }

    fn until_stopped(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.stopped.cancelled())
    }

    fn stopped(&self) -> bool {
        self.stopped.is_cancelled()
    }
}
