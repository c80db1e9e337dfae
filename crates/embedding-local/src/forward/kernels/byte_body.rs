//! The loops of the kernels that multiply whole numbers of 8 bits, once for all processors.

/// Writes the byte kernels of a level in terms of its operations. The arguments are as in `kernels!`; then comes the
/// field of `Codes` that the level reads.
macro_rules! byte_kernels {
    ($attribute:meta, [$($rows:literal),+], [$($registers:literal),+], $field:ident) => {
        use crate::forward::kernels::job::{ByteProduct, Codes};

        /// See `ByteLevel::product`.
        #[$attribute]
        pub(super) fn product(job: &ByteProduct<'_>, out: &mut [f32]) {
            let rows = job.codes.scales.len();
            let tiles = rows.div_ceil(ROWS);
            let mut row = 0;
            for tile in 0..tiles {
                let end = rows * (tile + 1) / tiles;
                match job.column_scales.len() / LANES {
                    $($registers => tile_of::<$registers>(job, row..end, out),)+
                    other => unreachable!("no tile is {other} registers wide"),
                }
                row = end;
            }
        }

        #[$attribute]
        fn tile_of<const WIDTH: usize>(job: &ByteProduct<'_>, rows: std::ops::Range<usize>, out: &mut [f32]) {
            match rows.len() {
                $($rows => tile::<$rows, WIDTH>(job, rows.start, out),)+
                other => unreachable!("no tile has {other} rows"),
            }
        }

        #[$attribute]
        fn tile<const HEIGHT: usize, const WIDTH: usize>(job: &ByteProduct<'_>, row: usize, out: &mut [f32]) {
            let depth = job.codes.depth;
            let mut rows: [&[Code]; HEIGHT] = [&[]; HEIGHT];
            for (place, one) in rows.iter_mut().enumerate() {
                *one = &job.codes.$field[(row + place) * depth..][..depth];
            }
            let mut sums = [[whole_splat(0); WIDTH]; HEIGHT];
            for group in 0..depth / GROUP {
                let panel = &job.panel[group * WIDTH * LANES * GROUP..][..WIDTH * LANES * GROUP];
                let mut columns = [whole_splat(0); WIDTH];
                for (place, column) in columns.iter_mut().enumerate() {
                    *column = load_weights(panel, place * LANES * GROUP);
                }
                for (sums, row) in sums.iter_mut().zip(&rows) {
                    let codes = splat_codes(row, group * GROUP);
                    for (sum, column) in sums.iter_mut().zip(&columns) {
                        *sum = add_products(*sum, codes, *column);
                    }
                }
            }
            for (place, sums) in sums.iter().enumerate() {
                let row = row + place;
                let scale = splat(job.codes.scales[row]);
                let zero = whole_splat(job.codes.zeros[row]);
                let mut numbers = [splat(0.0); WIDTH];
                for (column, number) in numbers.iter_mut().enumerate() {
                    let off = whole_multiply(zero, load_whole(job.column_sums, column * LANES));
                    let sum = to_floats(whole_subtract(sums[column], off));
                    *number = multiply(sum, multiply(scale, load(job.column_scales, column * LANES)));
                }
                finish::<WIDTH>(&job.target, row, &mut numbers, out);
            }
        }

        /// See `ByteLevel::quantise`.
        #[$attribute]
        pub(super) fn quantise(rows: &[f32], depth: usize, codes: &mut Codes) {
            let count = rows.len() / depth;
            codes.depth = depth;
            codes.scales.resize(count, 0.0);
            codes.zeros.resize(count, 0);
            codes.$field.resize(count * depth, 0);
            for (place, row) in rows.chunks_exact(depth).enumerate() {
                // 0 is among the numbers, so that it has a code of its own.
                let (mut smallest, mut largest) = (splat(0.0), splat(0.0));
                let mut at = 0;
                while at < depth {
                    let numbers = load(row, at);
                    smallest = smaller(numbers, smallest);
                    largest = larger(numbers, largest);
                    at += LANES;
                }
                let (low, high) = (-largest_of(subtract(splat(0.0), smallest)), largest_of(largest));
                // A row of zeros has no scale; any will do.
                let scale = ((high - low) / 255.0).max(f32::MIN_POSITIVE);
                let zero = (-low / scale).round();
                codes.scales[place] = scale;
                #[expect(clippy::cast_possible_truncation, reason = "between 0 and 255")]
                {
                    codes.zeros[place] = zero as i32;
                }
                let (factor, zero) = (splat(1.0 / scale), splat(zero));
                let out = &mut codes.$field[place * depth..][..depth];
                at = 0;
                while at < depth {
                    let code = multiply_add(load(row, at), factor, zero);
                    store_codes(out, at, smaller(larger(code, splat(0.0)), splat(255.0)));
                    at += LANES;
                }
            }
        }
    };
}

pub(super) use byte_kernels;
