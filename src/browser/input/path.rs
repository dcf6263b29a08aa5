//! Natural pointer paths: a slight curve, slow at both ends, different each time.
use std::time::Duration;

use super::geometry::Point;
use super::randomness::Randomness;

/// A position of the pointer, with the time since the movement began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waypoint {
    pub point: Point,
    pub at: Duration,
}

/// The maximum duration of a movement: about three frames.
pub const MAX_DURATION: Duration = Duration::from_millis(44);
const SHORTEST_MS: f64 = 24.0;
const FEWEST_MOVES: u32 = 8;
const MOST_MOVES: u32 = 15;
/// The distance in CSS pixels below which the pointer moves to its target in one step.
const NEAR: f64 = 1.5;
/// The maximum deviation from the straight line, as a fraction of the distance.
pub const MAX_DEVIATION: f64 = 0.12;

/// Returns the path from one point to another in whole CSS pixels. The last waypoint is exactly `to`.
pub fn natural_path(from: Point, to: Point, randomness: &Randomness) -> Vec<Waypoint> {
    let distance = from.distance(to);
    if distance < NEAR {
        return vec![Waypoint { point: to, at: Duration::ZERO }];
    }
    // The duration grows with the logarithm of the distance, as in Fitts's law, within the limits above.
    let length_ms = (SHORTEST_MS + 2.0 * distance.log2().max(0.0) + randomness.between(-4.0, 4.0))
        .clamp(SHORTEST_MS, MAX_DURATION.as_secs_f64() * 1000.0);
    let moves =
        (length_ms / randomness.between(3.8, 5.5)).round().clamp(FEWEST_MOVES.into(), MOST_MOVES.into());
    way(from, to, length_ms, moves, randomness)
}

/// The number of moves of `sampled_path`.
const GLIMPSES: f64 = 4.0;

/// Returns a few points on a natural path, for pages that ignore movements. The last one is exactly `to`.
pub fn sampled_path(from: Point, to: Point, randomness: &Randomness) -> Vec<Point> {
    if from.distance(to) < NEAR {
        return vec![to];
    }
    way(from, to, SHORTEST_MS, GLIMPSES, randomness).into_iter().map(|waypoint| waypoint.point).collect()
}

/// Returns a curve from `from` to `to` with this number of moves.
fn way(from: Point, to: Point, length_ms: f64, moves: f64, randomness: &Randomness) -> Vec<Waypoint> {
    let (first, second) =
        (control_point(from, to, 0.3, randomness), control_point(from, to, 0.75, randomness));
    // People speed up faster than they slow down.
    let skew = randomness.between(0.78, 0.95);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few dozen at most")]
    let moves = moves as u32;
    (1..=moves)
        .map(|step| {
            let time = f64::from(step) / f64::from(moves);
            let point = if step == moves {
                to
            } else {
                curve(from, first, second, to, eased(time.powf(skew))).rounded()
            };
            Waypoint { point, at: Duration::from_secs_f64(length_ms * time / 1000.0) }
        })
        .collect()
}

/// The shortest and the longest duration of a drag, in milliseconds.
const DRAG_MS: (f64, f64) = (130.0, 480.0);
/// The shortest and the longest time between two moves of a drag, in milliseconds.
const BETWEEN_MOVES_MS: (f64, f64) = (11.0, 15.0);

/// Returns the path of a drag: slower than other paths, so that the page can react to the dragged element.
pub fn drag_path(from: Point, to: Point, randomness: &Randomness) -> Vec<Waypoint> {
    let distance = from.distance(to);
    if distance < NEAR {
        return vec![Waypoint { point: to, at: Duration::ZERO }];
    }
    let length_ms = (60.0 + 45.0 * (1.0 + distance / 4.0).log2() + randomness.between(-12.0, 12.0))
        .clamp(DRAG_MS.0, DRAG_MS.1);
    let moves = (length_ms / randomness.between(BETWEEN_MOVES_MS.0, BETWEEN_MOVES_MS.1)).round();
    way(from, to, length_ms, moves, randomness)
}

/// Returns `steps` evenly spaced points on the straight line from `from` to `to`. The last one is `to`.
pub fn straight_path(from: Point, to: Point, steps: u32) -> impl Iterator<Item = Point> {
    let steps = steps.max(1);
    (1..=steps).map(
        move |step| if step == steps { to } else { from.towards(to, f64::from(step) / f64::from(steps)) },
    )
}

/// Returns a Bézier control point at the fraction `share` of the line, with a small random offset.
fn control_point(from: Point, to: Point, share: f64, randomness: &Randomness) -> Point {
    let on_line = from.towards(to, share);
    let aside = MAX_DEVIATION * randomness.signed_unit();
    Point::new(on_line.x - (to.y - from.y) * aside, on_line.y + (to.x - from.x) * aside)
}

/// Returns the point of a cubic Bézier curve at the parameter `share` (0 to 1).
fn curve(start: Point, first: Point, second: Point, end: Point, share: f64) -> Point {
    let rest = 1.0 - share;
    let weights = [rest.powi(3), 3.0 * rest.powi(2) * share, 3.0 * rest * share.powi(2), share.powi(3)];
    let points = [start, first, second, end];
    let sum =
        |pick: fn(Point) -> f64| weights.iter().zip(points).map(|(weight, point)| weight * pick(point)).sum();
    Point::new(sum(|point| point.x), sum(|point| point.y))
}

/// Maps 0 to 1 onto 0 to 1 smoothly, starting and ending with zero speed.
fn eased(time: f64) -> f64 {
    time.powi(3) * (10.0 - 15.0 * time + 6.0 * time.powi(2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_point() -> impl Strategy<Value = Point> {
        (-3000.0..3000.0, -3000.0..3000.0).prop_map(|(x, y)| Point::new(x, y))
    }

    proptest! {
        /// A natural path arrives exactly and in time, with small forward steps close to the straight line.
        #[test]
        fn a_path_arrives_in_time_and_without_jumps(from in any_point(), to in any_point(), seed: u64) {
            let path = natural_path(from, to, &Randomness::seeded(seed));
            let distance = from.distance(to);
            prop_assert_eq!(path.last().unwrap().point, to);
            prop_assert!(path.last().unwrap().at <= MAX_DURATION);
            prop_assert!(path.windows(2).all(|pair| pair[0].at < pair[1].at));
            if distance >= NEAR {
                prop_assert!((8..=15).contains(&path.len()));
                let mut here = from;
                for waypoint in &path {
                    prop_assert!(here.distance(waypoint.point) <= distance * 0.4 + 2.0, "a jump");
                    let (along, aside) = split(from, to, waypoint.point);
                    let rounding = 1.0 / distance;
                    prop_assert!((-rounding..=1.0 + rounding).contains(&along), "along {}", along);
                    prop_assert!(aside.abs() <= MAX_DEVIATION + rounding, "aside {}", aside);
                    here = waypoint.point;
                }
            }
        }

        #[test]
        fn a_glimpsed_way_ends_where_it_should(from in any_point(), to in any_point(), seed: u64) {
            let places = sampled_path(from, to, &Randomness::seeded(seed));
            prop_assert_eq!(*places.last().unwrap(), to);
            prop_assert!(places.len() == 4 || from.distance(to) < NEAR);
        }

        #[test]
        fn straight_steps_are_even_and_arrive(from in any_point(), to in any_point(), steps in 1_u32..100) {
            let points: Vec<_> = straight_path(from, to, steps).collect();
            prop_assert_eq!(points.len(), steps as usize);
            prop_assert_eq!(*points.last().unwrap(), to);
            let even = from.distance(to) / f64::from(steps);
            prop_assert!(points.windows(2).all(|pair| (pair[0].distance(pair[1]) - even).abs() < 1e-6));
        }
    }

    #[test]
    fn two_paths_differ() {
        let (from, to) = (Point::new(0.0, 0.0), Point::new(300.0, 200.0));
        assert_ne!(
            natural_path(from, to, &Randomness::seeded(1)),
            natural_path(from, to, &Randomness::seeded(2))
        );
    }

    /// The position of a point along the line, and its distance from the line, both as fractions of the length.
    fn split(from: Point, to: Point, point: Point) -> (f64, f64) {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let (px, py) = (point.x - from.x, point.y - from.y);
        let square = dx.powi(2) + dy.powi(2);
        ((px * dx + py * dy) / square, (py * dx - px * dy) / square)
    }
}
