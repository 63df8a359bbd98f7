//! Changes the classes that a JVM sends while it loads them.
//!
//! The JVM connects on the loopback interface, and shows a word that only its command line named. Numbers are big endian, texts as `DataOutput.writeUTF`
//! writes them. For each class comes a byte, whether its loader finds the border, and the class file; back go the new places of calls and the changed class,
//! empty to leave it.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use pricetag_classfile::ClassFile;
use pricetag_classfile::pool::encode_modified_utf8;

use crate::rewrite::{Rewritten, Watch};

/// Longest class file that is taken, bytes.
const LARGEST: usize = 1 << 28;

/// What the server gathers.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub watch: Watch,
    pub notes: Vec<String>,
}

/// A server for one JVM.
pub(crate) struct Server {
    pub port: u16,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Starts to listen.
    pub(crate) fn start(word: String, gathered: Arc<Mutex<Gathered>>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().spawn(move || {
            // The first JVM is the program's; others that it starts are not observed.
            while let Ok((stream, _)) = listener.accept() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                if serve(&stream, &word, &gathered).is_ok_and(|served| served) {
                    break;
                }
            }
        })?;
        Ok(Self { port, stop, thread })
    }

    /// Ends, once the JVM has.
    pub(crate) fn end(self) {
        self.stop.store(true, Ordering::SeqCst);
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
        self.thread.join().ok();
    }
}

fn serve(stream: &TcpStream, word: &str, gathered: &Mutex<Gathered>) -> io::Result<bool> {
    stream.set_nodelay(true)?;
    let (mut from, mut to) = (BufReader::new(stream), BufWriter::new(stream));
    let mut length = [0; 2];
    from.read_exact(&mut length)?;
    let mut shown = vec![0; usize::from(u16::from_be_bytes(length))];
    from.read_exact(&mut shown)?;
    if shown != word.as_bytes() {
        return Ok(false);
    }
    to.write_all(&1_i32.to_be_bytes())?;
    to.flush()?;
    loop {
        let mut head = [0; 5];
        if from.read_exact(&mut head).is_err() {
            return Ok(true);
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > LARGEST {
            return Ok(true);
        }
        let mut class = vec![0; length];
        from.read_exact(&mut class)?;
        let changed = change(&class, head[0] == 1, gathered);
        to.write_all(&(changed.sites.len() as u32).to_be_bytes())?;
        for site in &changed.sites {
            to.write_all(&site.id.to_be_bytes())?;
            write_text(&site.method.owner.replace('/', "."), &mut to)?;
            write_text(&site.method.name, &mut to)?;
            write_text(&site.method.descriptor, &mut to)?;
            to.write_all(&[u8::from(site.looked_up)])?;
        }
        let bytes = changed.bytes.unwrap_or_default();
        to.write_all(&(bytes.len() as u32).to_be_bytes())?;
        to.write_all(&bytes)?;
        to.flush()?;
    }
}

fn change(class: &[u8], found: bool, gathered: &Mutex<Gathered>) -> Rewritten {
    let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
    let name = || {
        let parsed = ClassFile::parse(class);
        parsed.map_or_else(|_| "?".to_owned(), |class| class.name().replace('/', "."))
    };
    if !found {
        gathered.notes.push(format!(
            "class {} is not observed: its class loader does not find pricetag.border.Border",
            name()
        ));
        return Rewritten::default();
    }
    match gathered.watch.rewrite(class) {
        Ok(rewritten) => rewritten,
        Err(error) => {
            let note = format!("class {} is not observed: {error}", name());
            gathered.notes.push(note);
            Rewritten::default()
        }
    }
}

fn write_text(text: &str, to: &mut impl Write) -> io::Result<()> {
    let bytes = encode_modified_utf8(text);
    let length = u16::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_be_bytes())?;
    to.write_all(&bytes)
}
