/** A picture of both quilts, to keep: drawn here, as SVG or PNG. */

import { flushSync, mount, unmount, type ComponentProps } from "svelte";
import ResultPicture from "./ResultPicture.svelte";

/** How many dots of a PNG make one unit of the drawing. */
const SHARPNESS = 2;

/** Returns the picture as the text of an SVG that refers to nothing outside it. */
export function asSvg(props: ComponentProps<typeof ResultPicture>): string {
  const target = document.createElement("div");
  const drawn = mount(ResultPicture, { target, props });
  flushSync();
  const svg = target.firstElementChild as SVGElement;
  const text = new XMLSerializer().serializeToString(svg);
  void unmount(drawn);
  // Elsewhere there is no style sheet to ask for colours.
  const colours = getComputedStyle(document.documentElement);
  return text
    .replace(/<!--.*?-->/gs, "")
    .replace(/var\((--[\w-]+)\)/g, (_, name: string) => colours.getPropertyValue(name).trim());
}

/** Returns an SVG as dots. */
export async function asPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * SHARPNESS;
  canvas.height = image.naturalHeight * SHARPNESS;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))));
  });
}
