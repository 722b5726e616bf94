import { readText } from './read-text.ts';

// Reads one text; the page ends the worker with its answer, or before when the text has changed.
addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(readText(data)));
