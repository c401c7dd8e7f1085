import { describe, expect, it } from "vitest";
import { PATCHES } from "../../generated/art";
import { arrange, offerCell } from "./arrangement";

const ALL = PATCHES.map((_, patch) => patch);
const TEXT = 12;

describe("the coming patches", () => {
  it("lie in lines where all of them can be seen", () => {
    const found = arrange(ALL.slice(3), { width: 730, height: 180 }, TEXT);
    expect(found).toMatchObject({ scrolls: false, upright: false });
  });

  it("are larger where there is more room, or fewer of them", () => {
    const cell = (count: number, height: number) =>
      arrange(ALL.slice(0, count), { width: 730, height }, TEXT).cell;
    expect(cell(30, 300)).toBeGreaterThan(cell(30, 200));
    expect(cell(10, 200)).toBeGreaterThan(cell(30, 200));
    expect(cell(1, 1000)).toBe(cell(1, 2000));
  });

  it("form a line that scrolls where they would be too small, the next five in sight", () => {
    const found = arrange(ALL, { width: 350, height: 60 }, TEXT);
    expect(found).toMatchObject({ scrolls: true, upright: true });
    expect(found.cell).toBeGreaterThanOrEqual(9);
  });

  it("have labels that can always be read", () => {
    for (const height of [50, 200, 800]) {
      expect(arrange(ALL, { width: 400, height }, TEXT).text).toBeGreaterThanOrEqual(TEXT);
    }
  });

  it("can be none", () => {
    expect(arrange([], { width: 350, height: 60 }, TEXT).scrolls).toBe(false);
  });
});

describe("the patches on offer", () => {
  it("are all as large as the tightest of their rooms allows", () => {
    const rooms = [300, 200, 300].map((width) => ({ width, height: 120 }));
    expect(offerCell([17, 17, 0], rooms)).toBe(40);
    expect(offerCell([0, 0, 0], rooms.map((room) => ({ ...room, height: 90 })))).toBe(30);
  });

  it("can be fewer than three", () => {
    expect(offerCell([17], [{ width: 100, height: 90 }])).toBe(20);
  });
});
