// A path has two parts at least: a device may well begin its answer with a slash.
const QUOTED = /(["'`])(?:file:\/\/)?\/(?:[^"'`\n/]+\/)+([^"'`\n/]*)\1/g;
const BARE = /(?<![\w\]./=%-])(?:file:\/\/)?\/(?:[^\s"'`,;()/]+\/)+([^\s"'`,;()/]*)/g;
const STACK = /\n\s+at [\s\S]*$/;

/**
 * Returns an external text, for example of a bundle or a library, in a form for clients: only the last part of each absolute path
 * remains, and stack traces are removed.
 */
export function hidePaths(text: string): string {
  return text.replace(STACK, '').replace(QUOTED, '$1$2$1').replace(BARE, '$1');
}
