//! The graph of spec turn as data. A test walks every road through `flow` and compares it with this list.

use memory_model::Node;

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum To {
    /// To a node.
    Node(Node),
    /// To the end.
    End,
}

/// Every edge, in the order of the graph. A turn starts at [`Node::PrepareTurn`].
pub const EDGES: &[(Node, To)] = &[
    (Node::PrepareTurn, To::Node(Node::BuildRetrievalQuery)),
    // Input that cannot be used ends the turn before anything is reached.
    (Node::PrepareTurn, To::End),
    (Node::BuildRetrievalQuery, To::Node(Node::RetrieveLongTermMemory)),
    (
        Node::RetrieveLongTermMemory,
        To::Node(Node::CompactShortTermMemory),
    ),
    // The search failed, and answering without memory would mislead.
    (Node::RetrieveLongTermMemory, To::Node(Node::MarkNeedsReview)),
    (Node::CompactShortTermMemory, To::Node(Node::BuildPromptContext)),
    (Node::BuildPromptContext, To::Node(Node::GenerateResponse)),
    (Node::GenerateResponse, To::Node(Node::ExtractMemoryCandidates)),
    (
        Node::ExtractMemoryCandidates,
        To::Node(Node::ValidateMemoryUpdates),
    ),
    (Node::ValidateMemoryUpdates, To::Node(Node::StoreMemoryUpdates)),
    (Node::ValidateMemoryUpdates, To::Node(Node::MarkNeedsReview)),
    (Node::ValidateMemoryUpdates, To::Node(Node::Finalize)),
    (Node::StoreMemoryUpdates, To::Node(Node::Finalize)),
    // One turn can have both: what is approved is stored, the rest waits for a person.
    (Node::StoreMemoryUpdates, To::Node(Node::MarkNeedsReview)),
    (Node::Finalize, To::End),
    (Node::MarkNeedsReview, To::End),
];
