//! The rooms, and which way their arrows may point.

use crate::project::Package;

/// From the top: a crate uses its own room and the rooms before it.
const ROOMS: [&str; 7] = ["words", "ports", "rules", "adapters", "engine", "edge", "support"];

/// Tests may also use what is in this room.
const SUPPORT: &str = "support";

/// A line for each crate without a room and each arrow that points down.
pub fn check(packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        let Some(own) = place(package) else {
            found.push(format!(
                "`{}` names no room: [package.metadata] layer = one of {}",
                package.name,
                ROOMS.join(", ")
            ));
            continue;
        };
        for dependency in &package.uses {
            let used = packages.iter().find(|other| other.name == dependency.name);
            let Some((used, other)) = used.and_then(|used| Some((used, place(used)?))) else {
                continue;
            };
            let for_tests = dependency.only_tests && used.room.as_deref() == Some(SUPPORT);
            if other > own && !for_tests {
                found.push(format!(
                    "`{}` ({}) uses `{}` ({}), which is a room further down",
                    package.name, ROOMS[own], used.name, ROOMS[other]
                ));
            }
        }
    }
    found
}

fn place(package: &Package) -> Option<usize> {
    let room = package.room.as_deref()?;
    ROOMS.iter().position(|known| *known == room)
}
