//! The loops of the kernels, once for all processors.

/// Writes the kernels of a level in terms of its `Register`, its constants and its operations. The first argument is
/// the attribute that lets the compiler use the level's instructions, then the rows a tile can have, then
/// the registers a tile can be wide.
macro_rules! kernels {
    ($attribute:meta, [$($rows:literal),+], [$($registers:literal),+]) => {
        use crate::forward::kernels::job::{Finish, Norm, Product, Target};

        /// See `Level::product`.
        #[$attribute]
        pub(super) fn product(job: &Product<'_>, out: &mut [f32]) {
            let tiles = job.left.rows.div_ceil(ROWS);
            let mut row = 0;
            // Tiles of nearly one height: a last tile of one row would take as long as one of three.
            for tile in 0..tiles {
                let end = job.left.rows * (tile + 1) / tiles;
                match job.right.columns / LANES {
                    $($registers => tile_of::<$registers>(job, row..end, out),)+
                    other => unreachable!("no tile is {other} registers wide"),
                }
                row = end;
            }
        }

        #[$attribute]
        fn tile_of<const WIDTH: usize>(job: &Product<'_>, rows: std::ops::Range<usize>, out: &mut [f32]) {
            match rows.len() {
                $($rows => tile::<$rows, WIDTH>(job, rows.start, out),)+
                other => unreachable!("no tile has {other} rows"),
            }
        }

        /// `HEIGHT` rows by `WIDTH` registers of the result, which stay in registers from the first product to the last.
        #[$attribute]
        fn tile<const HEIGHT: usize, const WIDTH: usize>(job: &Product<'_>, row: usize, out: &mut [f32]) {
            let mut rows: [&[f32]; HEIGHT] = [&[]; HEIGHT];
            for (place, one) in rows.iter_mut().enumerate() {
                *one = &job.left.numbers[(row + place) * job.left.stride..][..job.depth];
            }
            let mut sums = [[splat(0.0); WIDTH]; HEIGHT];
            for k in 0..job.depth {
                let right = &job.right.numbers[k * job.right.stride..][..WIDTH * LANES];
                let mut columns = [splat(0.0); WIDTH];
                for (place, column) in columns.iter_mut().enumerate() {
                    *column = load(right, place * LANES);
                }
                for (sums, row) in sums.iter_mut().zip(&rows) {
                    let factor = splat(row[k]);
                    for (sum, column) in sums.iter_mut().zip(&columns) {
                        *sum = multiply_add(factor, *column, *sum);
                    }
                }
            }
            for (place, sums) in sums.iter_mut().enumerate() {
                finish::<WIDTH>(&job.target, row + place, sums, out);
            }
        }

        /// Finishes a row of a tile and writes it.
        #[inline]
        #[$attribute]
        pub(super) fn finish<const WIDTH: usize>(
            target: &Target<'_>,
            row: usize,
            sums: &mut [Register; WIDTH],
            out: &mut [f32],
        ) {
            let begin = row * target.stride;
            if target.add {
                for (place, sum) in sums.iter_mut().enumerate() {
                    *sum = add(*sum, load(out, begin + place * LANES));
                }
            }
            match target.finish {
                Finish::Keep => {}
                Finish::Scale(factors) => {
                    let factor = splat(factors[row]);
                    for sum in sums.iter_mut() {
                        *sum = multiply(*sum, factor);
                    }
                }
                Finish::Bias(bias) | Finish::BiasGelu(bias) => {
                    for (place, sum) in sums.iter_mut().enumerate() {
                        *sum = add(*sum, load(bias, place * LANES));
                    }
                }
                Finish::BiasResidual(bias, residual) => {
                    for (place, sum) in sums.iter_mut().enumerate() {
                        let more = add(load(bias, place * LANES), load(residual, begin + place * LANES));
                        *sum = add(*sum, more);
                    }
                }
            }
            for (place, sum) in sums.iter().enumerate() {
                store(out, begin + place * LANES, *sum);
            }
            if matches!(target.finish, Finish::BiasGelu(_)) {
                gelu(&mut out[begin..begin + WIDTH * LANES]);
            }
        }

        /// x * Phi(x). Not inlined: once for every register of every tile would be most of the program.
        #[inline(never)]
        #[$attribute]
        fn gelu(numbers: &mut [f32]) {
            let half = splat(0.5);
            let mut at = 0;
            while at < numbers.len() {
                let x = load(numbers, at);
                let erf = error_function(multiply(x, splat(std::f32::consts::FRAC_1_SQRT_2)));
                let half_x = multiply(x, half);
                store(numbers, at, multiply_add(half_x, erf, half_x));
                at += LANES;
            }
        }

        /// The error function: a quotient of two polynomials in x^2, within 3e-7. The numbers are those of OpenXLA
        /// (`ErfImpl32` in `xla/hlo/builder/lib/math.cc`); they fit from -4 to 4, and beyond it erf is 1 in a float.
        #[inline]
        #[$attribute]
        fn error_function(x: Register) -> Register {
            const ABOVE: [f32; 7] = [
                -2.726_142_3e-10,
                2.770_681_4e-8,
                -2.101_024e-6,
                -5.692_506_4e-5,
                -7.349_906_5e-4,
                -2.954_6e-3,
                -1.609_603_3e-2,
            ];
            const BELOW: [f32; 5] = [
                -1.456_607_2e-5,
                -2.133_740_6e-4,
                -1.682_827e-3,
                -7.373_329_5e-3,
                -1.426_473_9e-2,
            ];
            let x = larger(smaller(x, splat(4.0)), splat(-4.0));
            let square = multiply(x, x);
            let mut above = splat(ABOVE[0]);
            for number in &ABOVE[1..] {
                above = multiply_add(above, square, splat(*number));
            }
            let mut below = splat(BELOW[0]);
            for number in &BELOW[1..] {
                below = multiply_add(below, square, splat(*number));
            }
            divide(multiply(x, above), below)
        }

        /// e^x for x from -87 to 0, and next to nothing below: 2^n times a polynomial (Cephes `expf`).
        #[inline]
        #[$attribute]
        fn exponential(x: Register) -> Register {
            const POLYNOMIAL: [f32; 6] = [
                1.987_569_1e-4,
                1.398_199_9e-3,
                8.333_452e-3,
                4.166_579_6e-2,
                0.166_666_65,
                0.5,
            ];
            let x = larger(x, splat(-87.0));
            let n = round(multiply(x, splat(std::f32::consts::LOG2_E)));
            // ln 2 in two parts, so that nothing of x is lost.
            let x = multiply_add(n, splat(-0.693_359_4), x);
            let x = multiply_add(n, splat(2.121_944_4e-4), x);
            let mut sum = splat(POLYNOMIAL[0]);
            for number in &POLYNOMIAL[1..] {
                sum = multiply_add(sum, x, splat(*number));
            }
            let sum = add(multiply_add(multiply(sum, x), x, x), splat(1.0));
            multiply(sum, power_of_two(n))
        }

        /// See `Level::exponentials`.
        #[$attribute]
        pub(super) fn exponentials(rows: &mut [f32], stride: usize, width: usize, inverse_sums: &mut [f32]) {
            for (row, inverse_sum) in rows.chunks_exact_mut(stride).zip(inverse_sums) {
                // What fills the row up counts for nothing: e^(-infinity) is written as 0 below.
                row[width..].fill(f32::NEG_INFINITY);
                let mut largest = splat(f32::NEG_INFINITY);
                let mut at = 0;
                while at < stride {
                    largest = larger(load(row, at), largest);
                    at += LANES;
                }
                let largest = splat(largest_of(largest));
                let mut sum = splat(0.0);
                at = 0;
                while at < stride {
                    let power = exponential(subtract(load(row, at), largest));
                    store(row, at, power);
                    sum = add(sum, power);
                    at += LANES;
                }
                row[width..].fill(0.0);
                *inverse_sum = 1.0 / sum_of(sum);
            }
        }

        /// See `Level::normalise`.
        #[$attribute]
        #[expect(clippy::cast_precision_loss, reason = "a width is far below 2^23")]
        pub(super) fn normalise(rows: &mut [f32], norm: &Norm<'_>) {
            let width = norm.weight.len();
            let share = 1.0 / width as f32;
            for row in rows.chunks_exact_mut(width) {
                let mut sum = splat(0.0);
                let mut at = 0;
                while at < width {
                    sum = add(sum, load(row, at));
                    at += LANES;
                }
                let mean = splat(sum_of(sum) * share);
                let mut squares = splat(0.0);
                at = 0;
                while at < width {
                    let off = subtract(load(row, at), mean);
                    squares = multiply_add(off, off, squares);
                    at += LANES;
                }
                let factor = splat(1.0 / (sum_of(squares) * share + norm.epsilon).sqrt());
                at = 0;
                while at < width {
                    let off = multiply(subtract(load(row, at), mean), factor);
                    store(row, at, multiply_add(off, load(norm.weight, at), load(norm.bias, at)));
                    at += LANES;
                }
            }
        }

        #[inline]
        #[$attribute]
        fn sum_of(register: Register) -> f32 {
            let mut numbers = [0.0; LANES];
            store(&mut numbers, 0, register);
            numbers.iter().sum()
        }

        #[inline]
        #[$attribute]
        pub(super) fn largest_of(register: Register) -> f32 {
            let mut numbers = [0.0; LANES];
            store(&mut numbers, 0, register);
            let mut largest = f32::NEG_INFINITY;
            for number in numbers {
                largest = largest.max(number);
            }
            largest
        }
    };
}

pub(super) use kernels;
