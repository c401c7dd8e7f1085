/** Quilts for illustrations, as pairs of a patch and its spaces. */

type Layout = readonly (readonly [number, readonly number[]])[];

/** Every space is covered. */
export const FULL: Layout = [
  [21, [0, 9, 10, 11, 12, 21]],
  [18, [1, 2, 3, 4, 13]],
  [26, [5, 6, 7, 15, 24, 33]],
  [25, [8, 16, 17, 25, 26, 34]],
  [12, [14, 22, 23, 31, 32]],
  [27, [18, 27, 28, 36, 37, 45]],
  [22, [19, 20, 29, 38, 46, 47]],
  [16, [30, 39, 40, 41, 48]],
  [29, [35, 44, 52, 53, 61, 62]],
  [28, [42, 43, 50, 51, 59, 60]],
  [14, [49, 58, 66, 67, 76]],
  [11, [54, 55, 63, 72, 73]],
  [24, [56, 57, 64, 65, 74, 75]],
  [8, [68, 69, 70, 77]],
  [7, [71, 78, 79, 80]],
];

/** The patch in the middle is missing. */
export const HOLE: Layout = FULL.filter(([, cells]) => !cells.includes(40));

/** A square of seven by seven spaces is covered. */
export const SEVEN: Layout = [
  [21, [10, 19, 20, 21, 22, 31]],
  [18, [11, 12, 13, 14, 23]],
  [17, [15, 24, 33, 42, 51]],
  [6, [16, 25, 34, 43]],
  [29, [28, 29, 37, 38, 46, 55]],
  [31, [30, 32, 39, 40, 41, 48, 50]],
  [16, [47, 56, 64, 65, 66]],
  [15, [49, 57, 58, 59, 67]],
  [3, [52, 60, 61]],
  [2, [68, 69, 70]],
];
