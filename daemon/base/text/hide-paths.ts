// A path has two parts at least: a device may well begin its answer with a slash.
const QUOTED = /(["'`])(?:file:\/\/)?\/(?:[^"'`\n/]+\/)+([^"'`\n/]*)\1/g;
const BARE = /(?<![\w\]./=%-])(?:file:\/\/)?\/(?:[^\s"'`,;()/]+\/)+([^\s"'`,;()/]*)/g;
const STACK = /\n\s+at [\s\S]*$/;

/**
 * Returns a text from outside, such as one of a bundle or a library, as clients may see it: of each absolute path only the last
 * part is left, and a stack goes.
 */
export function hidePaths(text: string): string {
  return text.replace(STACK, '').replace(QUOTED, '$1$2$1').replace(BARE, '$1');
}
