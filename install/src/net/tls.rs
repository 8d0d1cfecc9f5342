//! TLS configuration: which certificates are trusted.

use crate::error::{Code, Error, Result};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use std::sync::Arc;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

/// Where trusted certificates come from, besides the built-in list of Mozilla.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// PEM files; one that cannot be read is an error.
    pub files: Vec<String>,
    /// PEM files of the environment; one that cannot be read is ignored.
    pub optional_files: Vec<String>,
    /// Directories of PEM files (`SSL_CERT_DIR`); what cannot be read is ignored.
    pub directories: Vec<String>,
    /// PEM text.
    pub inline: Vec<String>,
    /// Certificates are not checked at all (`strict-ssl=false`, `NODE_TLS_REJECT_UNAUTHORIZED=0`).
    pub insecure: bool,
}

pub(super) fn config(trust: &Trust) -> Result<Arc<ClientConfig>> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::new(Code::Network, "cannot set up TLS").cause(error))?;
    let config = if trust.insecure {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Unchecked(provider))).with_no_client_auth()
    } else {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for file in &trust.files {
            let text = std::fs::read(file).map_err(|error| {
                Error::io("cannot read certificates from", file, error).hint("see `cafile` in .npmrc or bunfig.toml")
            })?;
            add(&mut roots, &text);
        }
        for file in &trust.optional_files {
            if let Ok(text) = std::fs::read(file) {
                add(&mut roots, &text);
            }
        }
        for entry in trust.directories.iter().filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten() {
            if let Ok(text) = std::fs::read(entry.path()) {
                add(&mut roots, &text);
            }
        }
        for text in &trust.inline {
            add(&mut roots, text.as_bytes());
        }
        builder.with_root_certificates(roots).with_no_client_auth()
    };
    Ok(Arc::new(config))
}

fn add(roots: &mut RootCertStore, pem: &[u8]) {
    for certificate in CertificateDer::pem_slice_iter(pem).flatten() {
        let _ = roots.add(certificate);
    }
}

#[derive(Debug)]
struct Unchecked(Arc<CryptoProvider>);

type Rustls<T> = std::result::Result<T, tokio_rustls::rustls::Error>;

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &rustls_pki_types::ServerName<'_>,
        _: &[u8],
        _: rustls_pki_types::UnixTime,
    ) -> Rustls<ServerCertVerified> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        m: &[u8],
        c: &CertificateDer<'_>,
        d: &DigitallySignedStruct,
    ) -> Rustls<HandshakeSignatureValid> {
        verify_tls12_signature(m, c, d, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        m: &[u8],
        c: &CertificateDer<'_>,
        d: &DigitallySignedStruct,
    ) -> Rustls<HandshakeSignatureValid> {
        verify_tls13_signature(m, c, d, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
