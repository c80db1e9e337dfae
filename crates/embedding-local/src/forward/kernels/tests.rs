//! Every kernel of every level that this processor has, against the plain loop that says what it should do.

use super::{Finish, Left, Level, Norm, Product, Right, Target};
use proptest::prelude::*;

/// Numbers between -1 and 1 that are the same at each run.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// The error function from its series, in f64; good to 1e-12 up to 4, and 1 beyond.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let mut term = x;
    let mut sum = x;
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2))
}

#[derive(Clone, Copy, Debug)]
struct Sizes {
    rows: usize,
    depth: usize,
    slack: usize,
    add: bool,
    finish: u8,
    seed: u64,
}

fn sizes() -> impl Strategy<Value = Sizes> {
    (
        1..30_usize,
        1..90_usize,
        0..5_usize,
        any::<bool>(),
        0..5_u8,
        any::<u64>(),
    )
        .prop_map(|(rows, depth, slack, add, finish, seed)| Sizes {
            rows,
            depth,
            slack,
            add,
            finish,
            seed,
        })
}

fn check_product(level: Level, columns: usize, sizes: Sizes) {
    let Sizes {
        rows, depth, slack, ..
    } = sizes;
    let left = numbers(rows * (depth + slack), sizes.seed);
    let right = numbers(depth * (columns + slack), sizes.seed ^ 1);
    let before = numbers(rows * (columns + slack), sizes.seed ^ 2);
    let bias = numbers(columns, sizes.seed ^ 3);
    let residual = numbers(rows * (columns + slack), sizes.seed ^ 4);
    let factors = numbers(rows, sizes.seed ^ 5);
    let job = Product {
        left: Left {
            numbers: &left,
            stride: depth + slack,
            rows,
        },
        right: Right {
            numbers: &right,
            stride: columns + slack,
            columns,
        },
        depth,
        target: Target {
            stride: columns + slack,
            add: sizes.add,
            finish: match sizes.finish {
                0 => Finish::Keep,
                1 => Finish::Scale(&factors),
                2 => Finish::Bias(&bias),
                3 => Finish::BiasGelu(&bias),
                _ => Finish::BiasResidual(&bias, &residual),
            },
        },
    };
    let mut out = before.clone();
    level.product(&job, &mut out);
    for row in 0..rows {
        for column in 0..columns + slack {
            let place = row * job.target.stride + column;
            if column >= columns {
                assert_eq!(out[place], before[place], "nothing is written beside the panel");
                continue;
            }
            let mut sum = if sizes.add { f64::from(before[place]) } else { 0.0 };
            for k in 0..depth {
                sum += f64::from(left[row * job.left.stride + k])
                    * f64::from(right[k * job.right.stride + column]);
            }
            let expected = match sizes.finish {
                0 => sum,
                1 => sum * f64::from(factors[row]),
                2 => sum + f64::from(bias[column]),
                3 => gelu(sum + f64::from(bias[column])),
                _ => sum + f64::from(bias[column]) + f64::from(residual[place]),
            };
            let off = (f64::from(out[place]) - expected).abs();
            assert!(off < 1e-5, "{} at {row}, {column}: {off}", level.name());
        }
    }
}

proptest! {
    #[test]
    fn a_product_is_the_sum_of_products_finished(sizes in sizes()) {
        for level in Level::available() {
            check_product(level, level.narrow_columns(), sizes);
            // The wide panel, where it is another one: 48 columns go into both.
            check_product(level, level.panel_columns(48).unwrap(), sizes);
        }
    }

    #[test]
    fn exponentials_are_those_of_a_softmax(
        rows in 1..6_usize, width in 1..70_usize, spread in 0.0_f32..60.0, seed in any::<u64>()
    ) {
        for level in Level::available() {
            let stride = width.next_multiple_of(level.narrow_columns());
            let before: Vec<f32> = numbers(rows * stride, seed).iter().map(|x| x * spread).collect();
            let mut after = before.clone();
            let mut inverse = vec![0.0; rows];
            level.exponentials(&mut after, stride, width, &mut inverse);
            for row in 0..rows {
                let before = &before[row * stride..][..width];
                let after = &after[row * stride..][..stride];
                let largest = before.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
                let powers: Vec<f64> = before.iter().map(|x| f64::from(x - largest).exp()).collect();
                let sum: f64 = powers.iter().sum();
                for (power, got) in powers.iter().zip(after) {
                    let off = (power / sum - f64::from(got * inverse[row])).abs();
                    prop_assert!(off < 1e-6, "{}: {}", level.name(), off);
                }
                prop_assert!(after[width..].iter().all(|x| *x == 0.0));
            }
        }
    }

    #[test]
    fn a_normalised_row_has_mean_0_and_variance_1_before_weight_and_bias(
        rows in 1..5_usize, registers in 1..9_usize, seed in any::<u64>()
    ) {
        let width = registers * 16;
        let (weight, bias) = (numbers(width, seed ^ 1), numbers(width, seed ^ 2));
        let norm = Norm { weight: &weight, bias: &bias, epsilon: 1e-12 };
        for level in Level::available() {
            let before = numbers(rows * width, seed);
            let mut after = before.clone();
            level.normalise(&mut after, &norm);
            for (before, after) in before.chunks(width).zip(after.chunks(width)) {
                let mean = before.iter().map(|x| f64::from(*x)).sum::<f64>() / width as f64;
                let variance = before.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / width as f64;
                for (place, (before, after)) in before.iter().zip(after).enumerate() {
                    let normal = (f64::from(*before) - mean) / (variance + 1e-12).sqrt();
                    let expected = normal * f64::from(weight[place]) + f64::from(bias[place]);
                    prop_assert!((expected - f64::from(*after)).abs() < 1e-5, "{}", level.name());
                }
            }
        }
    }
}

#[test]
fn gelu_is_right_everywhere() {
    for level in Level::available() {
        let columns = level.narrow_columns();
        for step in -1200..=1200 {
            let x = step as f32 / 100.0;
            let job = Product {
                left: Left {
                    numbers: &[x],
                    stride: 1,
                    rows: 1,
                },
                right: Right {
                    numbers: &vec![1.0; columns],
                    stride: columns,
                    columns,
                },
                depth: 1,
                target: Target {
                    stride: columns,
                    add: false,
                    finish: Finish::BiasGelu(&vec![0.0; columns]),
                },
            };
            let mut out = vec![0.0; columns];
            level.product(&job, &mut out);
            let off = (f64::from(out[0]) - gelu(f64::from(x))).abs();
            // The error function is good to 3e-7, and half of x times that is what is left of it.
            let allowed = 5e-7 + 2.5e-7 * f64::from(x.abs());
            assert!(off < allowed, "{} at {x}: {off}", level.name());
            assert!(out.iter().all(|number| *number == out[0]));
        }
    }
}
