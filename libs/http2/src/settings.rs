//! The settings that both ends of a connection announce (RFC 9113, section 6.5).

pub(crate) const HEADER_TABLE_SIZE: u16 = 1;
pub(crate) const ENABLE_PUSH: u16 = 2;
pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 3;
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;
pub(crate) const MAX_FRAME_SIZE: u16 = 5;
pub(crate) const MAX_HEADER_LIST_SIZE: u16 = 6;
pub(crate) const ENABLE_CONNECT_PROTOCOL: u16 = 8;

/// Whether the standard defines this setting.
pub(crate) fn is_known(id: u16) -> bool {
    matches!(id, HEADER_TABLE_SIZE..=MAX_HEADER_LIST_SIZE | ENABLE_CONNECT_PROTOCOL)
}

/// Settings of one side; the standard's defaults until it announces others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub header_table_size: u32,
    pub enable_push: u32,
    pub max_concurrent_streams: u32,
    pub initial_window_size: u32,
    pub max_frame_size: u32,
    pub max_header_list_size: u32,
    pub enable_connect_protocol: u32,
    /// Settings that the standard does not define.
    pub custom: Vec<(u16, u32)>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            header_table_size: 4096,
            enable_push: 1,
            max_concurrent_streams: u32::MAX,
            initial_window_size: 65_535,
            max_frame_size: 16_384,
            max_header_list_size: u32::MAX,
            enable_connect_protocol: 0,
            custom: Vec::new(),
        }
    }
}

impl Settings {
    /// Sets the setting `id`; false if it is not one that is known here.
    pub fn set(&mut self, id: u16, value: u32) -> bool {
        match id {
            HEADER_TABLE_SIZE => self.header_table_size = value,
            ENABLE_PUSH => self.enable_push = value,
            MAX_CONCURRENT_STREAMS => self.max_concurrent_streams = value,
            INITIAL_WINDOW_SIZE => self.initial_window_size = value,
            MAX_FRAME_SIZE => self.max_frame_size = value,
            MAX_HEADER_LIST_SIZE => self.max_header_list_size = value,
            ENABLE_CONNECT_PROTOCOL => self.enable_connect_protocol = value,
            _ => return false,
        }
        true
    }

    /// Sets a setting that the standard does not define.
    pub fn set_custom(&mut self, id: u16, value: u32) {
        match self.custom.iter_mut().find(|(known, _)| *known == id) {
            Some(entry) => entry.1 = value,
            None => self.custom.push((id, value)),
        }
    }

    /// The values in the order in which JavaScript reads them.
    pub fn list(&self) -> Vec<f64> {
        let mut list: Vec<f64> = [
            self.header_table_size,
            self.enable_push,
            self.initial_window_size,
            self.max_frame_size,
            self.max_concurrent_streams,
            self.max_header_list_size,
            self.enable_connect_protocol,
        ]
        .map(f64::from)
        .to_vec();
        for (id, value) in &self.custom {
            list.push(f64::from(*id));
            list.push(f64::from(*value));
        }
        list
    }
}
