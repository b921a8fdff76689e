//! A TLS client without sockets: what was received goes in, what is to be sent comes out.
//!
//! It does the common case and does it strictly. Whom it refuses is handed to Python's `ssl`, which has the last word
//! (`skitter/fetch/dial.py`).

mod sessions;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, Error, HandshakeKind, RootCertStore};
use sessions::Sessions;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::sync::Arc;

create_exception!(_tls, RefusedError, PyException, "We can't speak with this server, or do not want to.");

/// Bytes beside the content after which nothing is kept of a server: a chain of certificates has 4 KB, a ticket has 200.
const MAX_KEPT: usize = 32_768;

// A buffer that is there already costs less than the pages of a new one.
thread_local!(static PLAIN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });

/// Whom we trust, and the sessions of the servers that were met.
#[pyclass(frozen)]
struct Trust {
    config: Arc<ClientConfig>,
    sessions: Arc<Sessions>,
}

#[pymethods]
impl Trust {
    /// Trusts the certificates in `pem` that can be read, and keeps the sessions of so many servers.
    #[new]
    fn new(pem: &[u8], servers: usize) -> PyResult<Self> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).filter_map(Result::ok));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(raised)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self::with_sessions(config, servers))
    }

    /// Returns the same trust without any sessions.
    fn afresh(&self, servers: usize) -> Self {
        Self::with_sessions(ClientConfig::clone(&self.config), servers)
    }

    /// Returns our end of a new connection to `name`, a host name or an address.
    fn meet(&self, name: String) -> PyResult<Wire> {
        let name = ServerName::try_from(name).map_err(raised)?;
        let mut wire = ClientConnection::new(Arc::clone(&self.config), name.clone()).map_err(raised)?;
        wire.set_buffer_limit(None); // a request is short, and is sent at once
        let sessions = Arc::clone(&self.sessions);
        Ok(Wire { wire, name, sessions, received: 0, read: 0, is_over: false })
    }
}

impl Trust {
    fn with_sessions(mut config: ClientConfig, servers: usize) -> Self {
        let sessions = Arc::new(Sessions::new(servers));
        config.resumption = Resumption::store(Arc::clone(&sessions) as _);
        Self { config: Arc::new(config), sessions }
    }
}

/// Our end of one connection.
#[pyclass]
struct Wire {
    wire: ClientConnection,
    name: ServerName<'static>,
    sessions: Arc<Sessions>,
    received: usize,
    read: usize,
    is_over: bool,
}

#[pymethods]
impl Wire {
    /// Takes what was received and returns the content. What there is to say to it is in `outgoing`.
    fn feed<'py>(&mut self, py: Python<'py>, received: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        PLAIN.with_borrow_mut(|plain| {
            plain.clear();
            let fed = py.detach(|| self.fed(received, plain));
            if self.received > MAX_KEPT + self.read + self.read / 64 {
                self.sessions.forget(&self.name);
            }
            fed.map_err(raised)?;
            Ok(PyBytes::new(py, plain))
        })
    }

    /// Encrypts.
    fn write(&mut self, plain: &[u8]) -> PyResult<()> {
        Ok(self.wire.writer().write_all(plain)?)
    }

    /// Returns what has to go to the server.
    fn outgoing<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut out = Vec::new();
        while self.wire.wants_write() {
            self.wire.write_tls(&mut out)?;
        }
        Ok(PyBytes::new(py, &out))
    }

    #[getter]
    fn is_handshaking(&self) -> bool {
        self.wire.is_handshaking()
    }

    /// Whether the server has said that nothing more will come.
    #[getter]
    fn is_over(&self) -> bool {
        self.is_over
    }

    #[getter]
    fn session_reused(&self) -> bool {
        self.wire.handshake_kind() == Some(HandshakeKind::Resumed)
    }
}

impl Wire {
    fn fed(&mut self, mut received: &[u8], plain: &mut Vec<u8>) -> Result<(), Error> {
        self.received += received.len();
        while !received.is_empty() {
            if self.wire.read_tls(&mut received).map_err(general)? == 0 {
                break; // more than was announced: the server has closed before
            }
            let state = self.wire.process_new_packets()?;
            self.is_over |= state.peer_has_closed();
            // Nothing may stay behind: rustls takes no more than 16 KB that nobody has read.
            let more = state.plaintext_bytes_to_read();
            self.read += more;
            self.wire.reader().take(more as u64).read_to_end(plain).map_err(general)?;
        }
        Ok(())
    }
}

fn general(error: std::io::Error) -> Error {
    Error::General(error.to_string())
}

fn raised(error: impl ToString) -> PyErr {
    RefusedError::new_err(error.to_string())
}

/// Returns whether `text` is a host name or an address that a certificate can be for.
#[pyfunction]
fn is_name(text: &str) -> bool {
    ServerName::try_from(text).is_ok()
}

#[pymodule]
fn _tls(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Trust>()?;
    module.add_class::<Wire>()?;
    module.add_function(wrap_pyfunction!(is_name, module)?)?;
    module.add("RefusedError", module.py().get_type::<RefusedError>())
}
