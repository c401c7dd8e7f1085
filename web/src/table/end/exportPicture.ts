/** Draws a picture of both quilts that users can save, as SVG or PNG. */

import { flushSync, mount, unmount, type ComponentProps } from "svelte";
import ResultPicture from "./ResultPicture.svelte";

/** Pixels of a PNG for one unit of the drawing, so that it is sharp on dense displays. */
const PIXEL_RATIO = 2;

/** Returns the picture as SVG text that refers to nothing outside it. */
export function asSvg(props: ComponentProps<typeof ResultPicture>): string {
  const target = document.createElement("div");
  const drawn = mount(ResultPicture, { target, props });
  flushSync();
  const svg = target.firstElementChild as SVGElement;
  const text = new XMLSerializer().serializeToString(svg);
  void unmount(drawn);
  // Outside the page there is no style sheet that defines the colours.
  const colours = getComputedStyle(document.documentElement);
  return text
    .replace(/<!--.*?-->/gs, "")
    .replace(/var\((--[\w-]+)\)/g, (_, name: string) => colours.getPropertyValue(name).trim());
}

/** Returns an SVG as a PNG image. */
export async function asPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * PIXEL_RATIO;
  canvas.height = image.naturalHeight * PIXEL_RATIO;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the canvas gave no image"))));
  });
}
