/** The functions that the store's SQL uses and PostgreSQL lacks: SQLite has them, or gets them from `addLatencyFunctions`. */

/** The same buckets and bytes as `Histogram`; the contract of calls holds the two together. */
const latency: readonly string[] = [
  `create or replace function latency_bucket(micros bigint) returns bigint language sql immutable as $$
    select case when value < 16 then value else (power - 3) * 16 + (value >> (power - 4)) - 16 end
    from (select least(1099511627775, greatest(0, micros)) as value) as bounded,
      lateral (select length(ltrim(value::bit(41)::text, '0')) - 1 as power) as highest
  $$`,
  `create or replace function latency_cells(bytes bytea) returns table (bucket bigint, times bigint)
    language plpgsql immutable as $$
    declare value bigint := 0; worth bigint := 1; is_times boolean := false; byte integer;
    begin
      bucket := 0;
      for at in 0 .. length(bytes) - 1 loop
        byte := get_byte(bytes, at);
        value := value + (byte % 128) * worth;
        worth := worth * 128;
        continue when byte >= 128;
        if is_times then times := value; return next; else bucket := bucket + value; end if;
        is_times := not is_times; value := 0; worth := 1;
      end loop;
    end
  $$`,
  `create or replace function latency_bytes(numbers bigint[]) returns bytea language plpgsql immutable as $$
    declare bytes bytea := ''; rest bigint;
    begin
      foreach rest in array coalesce(numbers, '{}') loop
        while rest >= 128 loop
          bytes := bytes || set_byte('\\x00', 0, (rest % 128)::integer + 128);
          rest := rest / 128;
        end loop;
        bytes := bytes || set_byte('\\x00', 0, rest::integer);
      end loop;
      return bytes;
    end
  $$`,
  `create or replace function latency_made(micros bigint[]) returns bytea language sql immutable as $$
    select latency_bytes(array_agg(number order by bucket, part)) from (
      select bucket, bucket - lag(bucket, 1, 0::bigint) over (order by bucket) as step, times from (
        select latency_bucket(one) as bucket, count(*) as times from unnest(micros) as one where one is not null group by 1
      ) as counted
    ) as cells, lateral (values (1, step), (2, times)) as parts (part, number)
  $$`,
  `create or replace aggregate latency_of(bigint)
    (sfunc = array_append, stype = bigint[], initcond = '{}', finalfunc = latency_made)`,
  `create or replace function latency_sum(one bytea, other bytea) returns bytea language sql immutable as $$
    select latency_bytes(array_agg(number order by bucket, part)) from (
      select bucket, bucket - lag(bucket, 1, 0::bigint) over (order by bucket) as step, times from (
        select bucket, sum(times)::bigint as times from (
          select * from latency_cells(one) union all select * from latency_cells(other)
        ) as both_cells group by bucket
      ) as summed
    ) as cells, lateral (values (1, step), (2, times)) as parts (part, number)
  $$`,
];

export const functions: readonly string[] = [
  `create or replace function instr(whole text, part text) returns integer language sql immutable as
    $$ select strpos(whole, part) $$`,
  ...latency,
];
