//! Reads the characters of a PDF page with their positions.
use std::panic::resume_unwind;
use std::time::Instant;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, TransformExt, interpret_page,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A glyph with its position. Its text is one character, or several for a ligature.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedGlyph {
    pub text: String,
    /// The start of the glyph on the baseline. The origin is the page's top left corner.
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub size: f64,
    /// The marked-content id (MCID) of a tagged file; `None` for untagged content.
    pub marked: Option<i32>,
    /// Whether the file marks the glyph as decoration, such as a page number or a running head.
    pub artifact: bool,
}

#[derive(Debug, Default)]
pub(super) struct PageGlyphs {
    pub glyphs: Vec<PlacedGlyph>,
    pub has_images: bool,
}

/// The panic payload that stops the parser of a page.
struct Enough;

/// Reads the content of a page, at most `most` glyphs; `None` if the deadline has passed.
pub(super) fn read(pdf: &Pdf, page: &Page<'_>, most: usize, deadline: Instant) -> Option<PageGlyphs> {
    if Instant::now() >= deadline {
        return None;
    }
    let mut reader = Reader { seen: PageGlyphs::default(), marks: Vec::new(), most, deadline, commands: 0 };
    let (width, height) = page.render_dimensions();
    let cache = InterpreterCache::new();
    let mut context = Context::new(
        page.initial_transform(true).to_kurbo(),
        Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
        &cache,
        pdf.xref(),
        InterpreterSettings::default(),
    );
    // If the page exceeds a limit or the parser panics, the content read so far is kept.
    let _ = catch_unwind(AssertUnwindSafe(|| interpret_page(page, &mut context, &mut reader)));
    Some(reader.seen)
}

struct Reader {
    seen: PageGlyphs,
    marks: Vec<(Option<i32>, bool)>,
    most: usize,
    deadline: Instant,
    commands: u32,
}

impl Reader {
    fn go_on(&mut self) {
        self.commands += 1;
        if self.seen.glyphs.len() >= self.most
            || self.commands.is_multiple_of(64) && Instant::now() >= self.deadline
        {
            resume_unwind(Box::new(Enough));
        }
    }
}

impl Device<'_> for Reader {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.go_on();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.go_on();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        self.go_on();
        let marked = self.marks.iter().rev().find_map(|(marked, _)| *marked);
        let artifact = self.marks.iter().any(|(_, artifact)| *artifact);
        for glyph in run.glyphs() {
            let text = match glyph.as_unicode() {
                Some(BfString::Char(c)) => c.to_string(),
                Some(BfString::String(text)) => text,
                None => "\u{fffd}".to_owned(),
            };
            let place: Affine = props.transform * glyph.transform();
            let begin = place * Point::ZERO;
            let advance = match &**glyph {
                Glyph::Outline(outline) => outline.advance_width(),
                Glyph::Type3(drawn) => drawn.advance_width(),
            };
            // Glyph units are thousandths of the font size.
            let unit = |x, y| (place * Point::new(x, y) - begin) as Vec2;
            let size = unit(0.0, 1000.0).hypot();
            let width = unit(f64::from(advance.unwrap_or(500.0)), 0.0).hypot();
            if begin.is_finite() && size.is_finite() && width.is_finite() {
                self.seen.glyphs.push(PlacedGlyph {
                    text,
                    x: begin.x,
                    y: begin.y,
                    width,
                    size,
                    marked,
                    artifact,
                });
            }
        }
    }

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {
        self.go_on();
        self.seen.has_images = true;
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        self.go_on();
        let marked = properties.and_then(|properties| properties.get::<i32>("MCID"));
        self.marks.push((marked, tag == b"Artifact"));
    }

    fn end_marked_content(&mut self) {
        self.marks.pop();
    }
}
