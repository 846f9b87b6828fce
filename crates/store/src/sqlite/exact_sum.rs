//! Sums of integers that cannot overflow, as functions of SQL.
//!
//! SQLite's own `sum` of integers fails beyond 64 bits. These functions add with 128 bits. A sum is a BLOB of 16 bytes
//! whose order is that of the numbers, so that it can be sorted and compared.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Result};

/// Name of the function that adds integers.
pub(super) const EXACT_SUM: &str = "exact_sum";
/// Name of the function that returns the mean of integers, in units of 10 to the power of minus its second argument.
pub(super) const EXACT_MEAN: &str = "exact_mean";

/// Flips the sign, so that negative numbers are in front of others as unsigned ones.
const SIGN: u128 = 1 << 127;

/// Registers the functions on a connection.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_aggregate_function(EXACT_SUM, 1, flags, SumFunction)?;
    connection.create_aggregate_function(EXACT_MEAN, 2, flags, MeanFunction)
}

/// Encodes a sum in units of its last digit.
pub(super) fn encode_sum(units: i128) -> Vec<u8> {
    (units as u128 ^ SIGN).to_be_bytes().to_vec()
}

/// Decodes a sum in units of its last digit.
pub(super) fn decode_sum(bytes: &[u8]) -> Option<i128> {
    let bytes = bytes.try_into().ok()?;
    Some((u128::from_be_bytes(bytes) ^ SIGN) as i128)
}

/// Sum and number of values so far.
#[derive(Default)]
struct RunningSum {
    units: i128,
    values: u64,
}

impl RunningSum {
    fn add(&mut self, context: &Context<'_>) -> Result<()> {
        if let Some(units) = context.get::<Option<i64>>(0)? {
            self.units += i128::from(units);
            self.values += 1;
        }
        Ok(())
    }
}

struct SumFunction;

impl Aggregate<RunningSum, Option<Vec<u8>>> for SumFunction {
    fn init(&self, _: &mut Context<'_>) -> Result<RunningSum> {
        Ok(RunningSum::default())
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut RunningSum) -> Result<()> {
        sum.add(context)
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<RunningSum>) -> Result<Option<Vec<u8>>> {
        let sum = sum.filter(|sum| sum.values > 0);
        Ok(sum.map(|sum| encode_sum(sum.units)))
    }
}

struct MeanFunction;

impl Aggregate<(RunningSum, i32), Option<f64>> for MeanFunction {
    fn init(&self, context: &mut Context<'_>) -> Result<(RunningSum, i32)> {
        Ok((RunningSum::default(), context.get(1)?))
    }

    fn step(&self, context: &mut Context<'_>, (sum, _): &mut (RunningSum, i32)) -> Result<()> {
        sum.add(context)
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<(RunningSum, i32)>) -> Result<Option<f64>> {
        let sum = sum.filter(|(sum, _)| sum.values > 0);
        Ok(sum.map(|(sum, scale)| sum.units as f64 / 10_f64.powi(scale) / sum.values as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_sums_have_the_order_of_the_numbers() {
        let numbers = [
            i128::MIN,
            -1_i128 << 70,
            -2,
            -1,
            0,
            1,
            255,
            256,
            1 << 70,
            i128::MAX,
        ];
        for pair in numbers.windows(2) {
            assert!(encode_sum(pair[0]) < encode_sum(pair[1]), "{pair:?}");
        }
        for number in numbers {
            assert_eq!(decode_sum(&encode_sum(number)), Some(number));
        }
    }
}
