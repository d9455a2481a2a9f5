;; Adds rows of float32, each times a number, to the sums at `out`: sixteen sums a step, which stay in registers while all rows are added.
;; `list` holds `count` pairs of a number and the address of its row. Sums end at `end`, and there are a multiple of 16 of them.
(module
  (memory (export "memory") 1 65536)

  (func (export "add") (param $list i32) (param $count i32) (param $out i32) (param $end i32)
    (local $at i32) (local $listEnd i32) (local $row i32) (local $shift i32) (local $number v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $listEnd (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 3))))
    (block $done
      (br_if $done (i32.eqz (local.get $count)))
      (loop $step
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $a (v128.load (local.get $out)))
        (local.set $b (v128.load offset=16 (local.get $out)))
        (local.set $c (v128.load offset=32 (local.get $out)))
        (local.set $d (v128.load offset=48 (local.get $out)))
        (local.set $at (local.get $list))
        (loop $next
          (local.set $number (v128.load32_splat (local.get $at)))
          (local.set $row (i32.add (i32.load offset=4 (local.get $at)) (local.get $shift)))
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $number) (v128.load (local.get $row)))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.mul (local.get $number) (v128.load offset=16 (local.get $row)))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.mul (local.get $number) (v128.load offset=32 (local.get $row)))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.mul (local.get $number) (v128.load offset=48 (local.get $row)))))
          (local.set $at (i32.add (local.get $at) (i32.const 8)))
          (br_if $next (i32.lt_u (local.get $at) (local.get $listEnd))))
        (v128.store (local.get $out) (local.get $a))
        (v128.store offset=16 (local.get $out) (local.get $b))
        (v128.store offset=32 (local.get $out) (local.get $c))
        (v128.store offset=48 (local.get $out) (local.get $d))
        (local.set $shift (i32.add (local.get $shift) (i32.const 64)))
        (local.set $out (i32.add (local.get $out) (i32.const 64)))
        (br $step)))))
