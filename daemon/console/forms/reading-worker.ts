import { readText } from './read-text.ts';

// Parses one text; the page terminates the worker after its response, or earlier if the text has changed.
addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(readText(data)));
