//! Four memories that differ in everything a filter asks, and what each filter must leave of them.

use super::{create, patch, status};
use crate::sample::{daniel, minji, new_memory, new_memory_said_in};
use memory_model::{Category, Memory, MemoryFilter, MemoryId, MemoryPatch, Status, ThreadId};
use ports::MemoryBackend;

/// One filter and the memories that pass it.
pub(super) struct Case {
    pub name: &'static str,
    pub filter: MemoryFilter,
    /// Sorted.
    pub expected: Vec<MemoryId>,
}

/// Makes Minji's memories. All hold the words "aisle" and "통로".
pub(super) async fn memories<S: MemoryBackend>(store: &S) -> [Memory; 4] {
    let make = async |memory| create(store, 0, memory).await.0;
    let said = "I prefer the aisle, 통로가 좋아요";
    let seat = make(new_memory_said_in(&minji(), "preference:seat", said, &thread())).await;
    let work = make(new_memory(
        &minji(),
        "project:shop",
        "The shop has one aisle, 통로가 하나예요",
    ))
    .await;
    let pinned = make(new_memory(
        &minji(),
        "profile:aisle",
        "I slept in an aisle once, 통로에서",
    ))
    .await;
    let old = make(new_memory(
        &minji(),
        "decision:aisle",
        "I booked an aisle seat, 통로로 했어요",
    ))
    .await;
    let pin = MemoryPatch {
        pinned: Some(true),
        ..MemoryPatch::default()
    };
    let (pinned, _) = patch(store, 1, &pinned, pin).await;
    let (old, _) = patch(store, 1, &old, status(Status::Archived)).await;
    [seat, work, pinned, old]
}

fn thread() -> ThreadId {
    ThreadId::new("trip")
}

/// The filters and what passes them.
pub(super) fn cases(memories: &[Memory; 4]) -> Vec<Case> {
    let [seat, work, pinned, old] = memories;
    let mine = MemoryFilter::active(minji());
    let category = |categories: &[Category]| MemoryFilter {
        categories: categories.to_vec(),
        ..mine.clone()
    };
    let states = |statuses: &[Status]| MemoryFilter {
        statuses: statuses.to_vec(),
        ..mine.clone()
    };
    let two = [Category::Project, Category::Preference];
    vec![
        case("owner", mine.clone(), &[seat, work, pinned]),
        case("no status named means active", states(&[]), &[seat, work, pinned]),
        case("one category", category(&[Category::Project]), &[work]),
        case("two categories", category(&two), &[seat, work]),
        case("archived", states(&[Status::Archived]), &[old]),
        case(
            "two states",
            states(&[Status::Active, Status::Archived]),
            &[seat, work, pinned, old],
        ),
        case(
            "pinned",
            MemoryFilter {
                pinned: true,
                ..mine.clone()
            },
            &[pinned],
        ),
        case(
            "said in a thread",
            MemoryFilter {
                thread: Some(thread()),
                ..mine.clone()
            },
            &[seat],
        ),
        case(
            "a thread of another owner",
            MemoryFilter {
                thread: Some(thread()),
                ..MemoryFilter::active(daniel())
            },
            &[],
        ),
    ]
}

fn case(name: &'static str, filter: MemoryFilter, expected: &[&Memory]) -> Case {
    let mut expected: Vec<MemoryId> = expected.iter().map(|memory| memory.id.clone()).collect();
    expected.sort();
    Case {
        name,
        filter,
        expected,
    }
}
