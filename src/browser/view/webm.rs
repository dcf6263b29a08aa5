//! A writer for `WebM` files with one video track.
use std::io::{self, Seek, SeekFrom, Write};

/// A `WebM` file that is being written. Times are in milliseconds.
pub(in crate::browser) struct Webm<W> {
    out: W,
    /// The file offset of the duration, which is written at the end.
    duration_at: u64,
    /// The start time of the current cluster.
    cluster: Option<u64>,
    last: u64,
}

/// The maximum duration of a cluster in milliseconds. The time of a block within its cluster has 16 bits.
const LONGEST_CLUSTER: u64 = 5_000;

const EBML: u32 = 0x1A45_DFA3;
const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_A966;
const TRACKS: u32 = 0x1654_AE6B;
const CLUSTER: u32 = 0x1F43_B675;
const DURATION: u32 = 0x4489;
const SIMPLE_BLOCK: u32 = 0xA3;
/// The size of an element with unknown size. It extends to the end of its parent or to the next such element.
const UNKNOWN_SIZE: [u8; 8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];

/// Encodes an element id. Its first bits contain its length.
fn id(id: u32) -> Vec<u8> {
    id.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect()
}

/// Encodes the size of an element in eight bytes.
fn size(length: usize) -> [u8; 8] {
    (length as u64 | 1 << 56).to_be_bytes()
}

fn element(number: u32, content: &[u8]) -> Vec<u8> {
    [id(number), size(content.len()).to_vec(), content.to_vec()].concat()
}

fn number(element_id: u32, value: u64) -> Vec<u8> {
    element(element_id, &value.to_be_bytes())
}

fn text(element_id: u32, text: &str) -> Vec<u8> {
    element(element_id, text.as_bytes())
}

impl<W: Write + Seek> Webm<W> {
    /// Begins a file with VP8 frames of this width and height.
    pub(in crate::browser) fn begin(mut out: W, (width, height): (u32, u32)) -> io::Result<Self> {
        let head = [
            number(0x4286, 1),
            number(0x42F7, 1),
            number(0x42F2, 4),
            number(0x42F3, 8),
            text(0x4282, "webm"),
            number(0x4287, 2),
            number(0x4285, 2),
        ];
        out.write_all(&element(EBML, &head.concat()))?;
        out.write_all(&[id(SEGMENT), UNKNOWN_SIZE.to_vec()].concat())?;
        let program = text(0x4D80, "patchright_mcp");
        let info = [number(0x002A_D7B1, 1_000_000), program, text(0x5741, "patchright_mcp")].concat();
        let duration = element(DURATION, &0f64.to_be_bytes());
        let begins = out.stream_position()?;
        let info_element = element(INFO, &[info, duration].concat());
        out.write_all(&info_element)?;
        let duration_at = begins + info_element.len() as u64 - 8;
        // The colours of `encode.js`: BT.601 matrix, limited range, sRGB transfer function, BT.709 primaries.
        let colour = [number(0x55B1, 6), number(0x55B9, 1), number(0x55BA, 13), number(0x55BB, 1)].concat();
        let picture =
            [number(0xB0, width.into()), number(0xBA, height.into()), element(0x55B0, &colour)].concat();
        let track = [
            number(0xD7, 1),
            number(0x73C5, 1),
            number(0x9C, 0),
            number(0x83, 1),
            text(0x86, "V_VP8"),
            element(0xE0, &picture),
        ];
        out.write_all(&element(TRACKS, &element(0xAE, &track.concat())))?;
        Ok(Self { out, duration_at, cluster: None, last: 0 })
    }

    /// Writes a frame at `at`. With `is_key`, it is a key frame, which does not depend on earlier frames.
    pub(in crate::browser) fn add(&mut self, at: u64, is_key: bool, picture: &[u8]) -> io::Result<()> {
        let at = at.max(self.last);
        self.last = at;
        let begun = self.cluster.filter(|begun| !is_key && at - begun < LONGEST_CLUSTER);
        let begun = match begun {
            Some(begun) => begun,
            None => {
                self.out.write_all(&[id(CLUSTER), UNKNOWN_SIZE.to_vec(), number(0xE7, at)].concat())?;
                self.cluster = Some(at);
                at
            }
        };
        let since = u16::try_from(at - begun).unwrap_or(u16::MAX).to_be_bytes();
        let flags = if is_key { 0x80 } else { 0 };
        let head = [0x81, since[0], since[1], flags];
        self.out.write_all(&element(SIMPLE_BLOCK, &[&head, picture].concat()))
    }

    /// Completes the file. The last frame is shown until `at`.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a video of milliseconds beyond 2^52 lasts longer than we do"
    )]
    pub(in crate::browser) fn end(mut self, at: u64) -> io::Result<W> {
        self.out.seek(SeekFrom::Start(self.duration_at))?;
        self.out.write_all(&(at.max(self.last) as f64).to_be_bytes())?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_cluster_begins_with_each_picture_that_stands_alone_and_the_duration_is_the_end() {
        let mut webm = Webm::begin(Cursor::new(Vec::new()), (320, 240)).unwrap();
        webm.add(0, true, b"one").unwrap();
        webm.add(40, false, b"two").unwrap();
        webm.add(5_100, false, b"three").unwrap();
        let file = webm.end(6_000).unwrap().into_inner();
        let clusters = file.windows(4).filter(|bytes| *bytes == CLUSTER.to_be_bytes()).count();
        assert_eq!(clusters, 2);
        let report = [id(DURATION), size(8).to_vec(), 6_000f64.to_be_bytes().to_vec()].concat();
        assert!(file.windows(report.len()).any(|bytes| bytes == report));
        // The second block is 40 ms after its cluster's beginning, and not a key frame.
        assert!(file.windows(7).any(|bytes| bytes == [0x81, 0, 40, 0, b't', b'w', b'o']));
    }

    #[test]
    fn time_does_not_go_back() {
        let mut webm = Webm::begin(Cursor::new(Vec::new()), (2, 2)).unwrap();
        webm.add(90, true, b"a").unwrap();
        webm.add(10, false, b"b").unwrap();
        let file = webm.end(0).unwrap().into_inner();
        assert!(file.windows(8).any(|bytes| bytes == 90f64.to_be_bytes()));
    }
}
