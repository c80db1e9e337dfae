//! Fetching against files of a few bytes and a hub on this machine.

use super::{HubPlace, MODELS, Model, Source, fetch, pinned};
use crate::setup::hex;
use sha2::{Digest as _, Sha256};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

const WEIGHTS: &[u8] = b"weights of a very small model, long enough to be cut into two";

#[test]
fn every_list_names_what_a_model_needs() {
    for model in MODELS {
        let names: Vec<&str> = pinned(model.list).iter().map(|file| file.name).collect();
        // What a model of several files needs; one file holds all of it.
        let whole = names == ["config.json", "model.safetensors", "tokenizer.json"] || names.len() == 1;
        assert!(whole, "{}: {names:?}", model.folder);
        assert!(
            pinned(model.list)
                .iter()
                .all(|file| file.sha256.len() == 64 && file.bytes > 0)
        );
    }
}

#[test]
fn a_folder_is_taken_only_when_its_files_are_the_right_ones() {
    let place = Place::new("folder");
    let source = place.0.join("source");
    std::fs::create_dir_all(&source).unwrap();
    std::fs::write(source.join("weights"), "something else").unwrap();

    let refused = fetch(&model(), &Source::Folder(source.clone()), &place.0).unwrap_err();
    assert!(
        format!("{refused:#}").contains("has 14 bytes instead of 61"),
        "{refused:#}"
    );
    assert!(
        place.files().is_empty(),
        "nothing half done stays: {:?}",
        place.files()
    );

    let mut changed = WEIGHTS.to_vec();
    changed.reverse();
    std::fs::write(source.join("weights"), changed).unwrap();
    let refused = fetch(&model(), &Source::Folder(source.clone()), &place.0).unwrap_err();
    assert!(format!("{refused:#}").contains("has the SHA-256"), "{refused:#}");

    std::fs::write(source.join("weights"), WEIGHTS).unwrap();
    fetch(&model(), &Source::Folder(source.clone()), &place.0).unwrap();
    assert_eq!(place.files(), ["weights"]);

    // A second time nothing is read, so the source may be gone.
    std::fs::remove_dir_all(&source).unwrap();
    fetch(&model(), &Source::Folder(source), &place.0).unwrap();
}

#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    let place = Place::new("resume");
    let (endpoint, requests) = hub(Behaviour::BreaksOnce);
    fetch(&model(), &Source::Hub { endpoint }, &place.0).unwrap();
    assert_eq!(place.files(), ["weights"]);
    let asked: Vec<Request> = requests.try_iter().collect();
    assert_eq!(
        asked[0],
        Request {
            path: "/somebody/tiny/resolve/abc/weights".to_owned(),
            from: 0
        }
    );
    assert_eq!(asked[1].from, WEIGHTS.len() / 2, "the rest only");
}

#[test]
fn a_hub_without_ranges_sends_everything_again() {
    let place = Place::new("whole");
    std::fs::create_dir_all(place.0.join("tiny")).unwrap();
    std::fs::write(place.0.join("tiny/.weights.part"), "begun with other bytes").unwrap();
    let (endpoint, _requests) = hub(Behaviour::IgnoresRanges);
    fetch(&model(), &Source::Hub { endpoint }, &place.0).unwrap();
    assert_eq!(place.files(), ["weights"]);
}

#[test]
fn a_hub_with_another_file_or_none_is_refused() {
    for (behaviour, expected) in [
        (Behaviour::Swapped, "has the SHA-256"),
        (Behaviour::NotFound, "HTTP Error 404"),
    ] {
        let place = Place::new(expected.split(' ').next_back().unwrap());
        let (endpoint, _requests) = hub(behaviour);
        let refused = fetch(&model(), &Source::Hub { endpoint }, &place.0).unwrap_err();
        assert!(format!("{refused:#}").contains(expected), "{refused:#}");
        assert!(
            format!("{refused:#}").contains("cargo xtask models --from DIR"),
            "{refused:#}"
        );
        assert!(place.files().is_empty(), "{:?}", place.files());
    }
}

fn model() -> Model {
    let line = format!("{} {} weights\n", hex(&Sha256::digest(WEIGHTS)), WEIGHTS.len());
    Model {
        folder: "tiny",
        package: "not-asked-for",
        platform: None,
        hub: Some(HubPlace {
            repository: "somebody/tiny",
            revision: "abc",
        }),
        list: line.leak(),
    }
}

/// A models folder that goes away with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("reverie-models-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.0.join("tiny")) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Behaviour {
    BreaksOnce,
    IgnoresRanges,
    Swapped,
    NotFound,
}

#[derive(Debug, PartialEq)]
struct Request {
    path: String,
    from: usize,
}

/// A hub on this machine. Its thread ends with the test program.
fn hub(behaviour: Behaviour) -> (String, mpsc::Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for (count, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let request = read_request(&stream);
            let from = request.from;
            let _ = sender.send(request);
            answer(&mut stream, behaviour, count, from);
        }
    });
    (endpoint, receiver)
}

fn read_request(stream: &TcpStream) -> Request {
    let mut lines = BufReader::new(stream).lines().map(|line| line.unwrap());
    let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let range = lines.take_while(|line| !line.is_empty()).find_map(|line| {
        line.strip_prefix("Range: bytes=")
            .map(|range| range.trim_end_matches('-').to_owned())
    });
    Request {
        path,
        from: range.map_or(0, |from| from.parse().unwrap()),
    }
}

fn answer(stream: &mut TcpStream, behaviour: Behaviour, count: usize, from: usize) {
    let mut body = WEIGHTS.to_vec();
    if behaviour == Behaviour::Swapped {
        body.reverse();
    }
    let (status, body) = match behaviour {
        Behaviour::NotFound => ("404 Not Found", Vec::new()),
        Behaviour::IgnoresRanges => ("200 OK", body),
        Behaviour::BreaksOnce | Behaviour::Swapped if from > 0 => {
            ("206 Partial Content", body.split_off(from))
        }
        Behaviour::BreaksOnce | Behaviour::Swapped => ("200 OK", body),
    };
    let sent = if behaviour == Behaviour::BreaksOnce && count == 0 {
        body.len() / 2
    } else {
        body.len()
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&body[..sent]));
}
