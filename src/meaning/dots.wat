;; Dot products of many int8 rows with one or four int16 vectors, sixteen numbers a step.
;; `width` is a multiple of 16. The sum of row r and vector v goes to out[v * count + r] as int32.
(module
  (memory (export "memory") 1 65536)

  (func $sum (param $lanes v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $lanes)) (i32x4.extract_lane 1 (local.get $lanes)))
      (i32.add (i32x4.extract_lane 2 (local.get $lanes)) (i32x4.extract_lane 3 (local.get $lanes)))))

  (func (export "one") (param $rows i32) (param $count i32) (param $width i32) (param $vector i32) (param $out i32)
    (local $end i32) (local $rowEnd i32) (local $at i32) (local $bytes v128) (local $lanes v128)
    (local.set $end (i32.add (local.get $rows) (i32.mul (local.get $count) (local.get $width))))
    (block $done
      (loop $row
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (local.set $rowEnd (i32.add (local.get $rows) (local.get $width)))
        (local.set $at (local.get $vector))
        (local.set $lanes (v128.const i32x4 0 0 0 0))
        (loop $step
          (local.set $bytes (v128.load (local.get $rows)))
          (local.set $lanes
            (i32x4.add (local.get $lanes)
              (i32x4.add
                (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $bytes)) (v128.load (local.get $at)))
                (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $bytes)) (v128.load offset=16 (local.get $at))))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (br_if $step (i32.lt_u (local.get $rows) (local.get $rowEnd))))
        (i32.store (local.get $out) (call $sum (local.get $lanes)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $row))))

  (func (export "four") (param $rows i32) (param $count i32) (param $width i32) (param $vectors i32) (param $out i32)
    (local $end i32) (local $rowEnd i32) (local $stride i32) (local $outStride i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32)
    (local $low v128) (local $high v128) (local $sumA v128) (local $sumB v128) (local $sumC v128) (local $sumD v128)
    (local.set $end (i32.add (local.get $rows) (i32.mul (local.get $count) (local.get $width))))
    (local.set $stride (i32.shl (local.get $width) (i32.const 1)))
    (local.set $outStride (i32.shl (local.get $count) (i32.const 2)))
    (block $done
      (loop $row
        (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
        (local.set $rowEnd (i32.add (local.get $rows) (local.get $width)))
        (local.set $a (local.get $vectors))
        (local.set $b (i32.add (local.get $a) (local.get $stride)))
        (local.set $c (i32.add (local.get $b) (local.get $stride)))
        (local.set $d (i32.add (local.get $c) (local.get $stride)))
        (local.set $sumA (v128.const i32x4 0 0 0 0))
        (local.set $sumB (v128.const i32x4 0 0 0 0))
        (local.set $sumC (v128.const i32x4 0 0 0 0))
        (local.set $sumD (v128.const i32x4 0 0 0 0))
        (loop $step
          (local.set $high (v128.load (local.get $rows)))
          (local.set $low (i16x8.extend_low_i8x16_s (local.get $high)))
          (local.set $high (i16x8.extend_high_i8x16_s (local.get $high)))
          (local.set $sumA (i32x4.add (local.get $sumA) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load (local.get $a)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load offset=16 (local.get $a))))))
          (local.set $sumB (i32x4.add (local.get $sumB) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load (local.get $b)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load offset=16 (local.get $b))))))
          (local.set $sumC (i32x4.add (local.get $sumC) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load (local.get $c)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load offset=16 (local.get $c))))))
          (local.set $sumD (i32x4.add (local.get $sumD) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load (local.get $d)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load offset=16 (local.get $d))))))
          (local.set $a (i32.add (local.get $a) (i32.const 32)))
          (local.set $b (i32.add (local.get $b) (i32.const 32)))
          (local.set $c (i32.add (local.get $c) (i32.const 32)))
          (local.set $d (i32.add (local.get $d) (i32.const 32)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (br_if $step (i32.lt_u (local.get $rows) (local.get $rowEnd))))
        (i32.store (local.get $out) (call $sum (local.get $sumA)))
        (i32.store (i32.add (local.get $out) (local.get $outStride)) (call $sum (local.get $sumB)))
        (i32.store (i32.add (local.get $out) (i32.mul (local.get $outStride) (i32.const 2))) (call $sum (local.get $sumC)))
        (i32.store (i32.add (local.get $out) (i32.mul (local.get $outStride) (i32.const 3))) (call $sum (local.get $sumD)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $row)))))
