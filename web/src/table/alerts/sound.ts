/** Small sounds, made here so that nothing has to be loaded. */

import { preferences } from "../../settings/preferences.svelte";

let context: AudioContext | undefined;

/** Plays notes one after another, if the reader wants to hear them. */
function play(...notes: number[]): void {
  if (!preferences.sound) return;
  context ??= new AudioContext();
  notes.forEach((frequency, index) => note(context as AudioContext, frequency, 0.11 * index));
}

function note(audio: AudioContext, frequency: number, after: number): void {
  const start = audio.currentTime + after;
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.type = "triangle";
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(0.12, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.25);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + 0.25);
}

/** Something was sewn on or a token moved. */
export function tick(): void {
  play(392);
}

/** It is the reader's turn. */
export function call(): void {
  play(523, 659);
}

/** The game is over. */
export function fanfare(): void {
  play(523, 659, 784, 1047);
}
