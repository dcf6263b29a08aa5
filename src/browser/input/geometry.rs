//! Points and rectangles, in CSS pixels.
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// Returns this point relative to `origin`.
    pub(crate) fn seen_from(self, origin: Self) -> Self {
        Self::new(self.x - origin.x, self.y - origin.y)
    }

    pub(crate) fn rounded(self) -> Self {
        Self::new(self.x.round(), self.y.round())
    }

    /// Returns the point between this one and `other` at the fraction `share` (0 to 1) of their distance.
    pub(crate) fn towards(self, other: Self, share: f64) -> Self {
        Self::new(self.x + (other.x - self.x) * share, self.y + (other.y - self.y) * share)
    }
}

/// A rectangle; `x` and `y` are its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn centre(self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    pub(crate) fn corner(self) -> Point {
        Point::new(self.x, self.y)
    }

    pub fn contains(self, point: Point) -> bool {
        (self.x..=self.x + self.width).contains(&point.x)
            && (self.y..=self.y + self.height).contains(&point.y)
    }
}
