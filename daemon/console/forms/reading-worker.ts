import { readText } from './read-text.ts';
import { outlineText } from './text-outline.ts';
import type { ReadingTask } from './text-outline.ts';

// Parses one text; the page terminates the worker after its response, or earlier if the text has changed.
addEventListener('message', ({ data: { text, secretNames } }: MessageEvent<ReadingTask>) => {
  const result = readText(text);
  postMessage(secretNames === undefined ? result : outlineText(result, secretNames));
});
