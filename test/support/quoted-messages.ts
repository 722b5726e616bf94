import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A message of the gateway as a page quotes it. */
export interface QuotedMessage {
  readonly page: string;
  readonly text: string;
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const MESSAGE_MEMBER = /"(?:message|exceptionMessage)": "((?:[^"\\\n]|\\.)+)"/g;
const PROGRAM_MESSAGE = /^penstockd?(?: [a-z]+)?: (.+)$/gm;
// What a message is filled with: quotations, names in brackets, paths, keys and names with a dot, numbers, placeholders of a page.
const FILLED = /…|"[^"]*"|\([^()\s]*\)|(?:^|(?<= ))[^\s:]*[./[][^\s:]*[^\s.:;,]:?|\d+|\b[A-Z]{2,}\b/;
// In a template of the language, and in a sentence of a table.
const FILLED_IN = /\$\{[^{}\n]*\}|\{[a-z]\w*\}/g;
// Two texts that a sum joins, also across lines.
const JOINED = /['`]\s*\+\s*['`]/g;
const ROOMS = ['daemon', 'drivers', 'packaging'];
const OTHERS = ['packaging/debian', 'systemd'];
// A quotation of words: it begins with a letter or what is left out, and has at least three of them.
const WORDS = /^(?:…|[a-z]+)(?: \S+){2,}$/;
const COMMAND =
  /^(?:age|apt(?:-get)?|cat|cd|chmod|chown|curl|docker|git|gpg|grep|journalctl|mosquitto_pub|mv|npm|npx|openssl|penstockd?|promtool|rm|sudo|systemctl|systemd-\w+|tar|timedatectl|usermod|value|kill|node|ls|ss|scp|install) /;
// Code, SQL, settings and formulas are no messages.
const CODE = /^binutils |[{}<>=|\\*]|\s--?\w|^\w+: |→|\s[+×/−] |\b[A-Z_]{3,}\b.*\b[A-Z_]{3,}\b/;

/** Lists what pages quote of messages: words in code style inside a sentence or a table. */
export function listQuotedMessages(page: string, content: string): readonly QuotedMessage[] {
  const prose = content.replaceAll(/^```[\s\S]*?^```/gm, '');
  const inProse = [...prose.matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)]
    .map(([, text = '']) => text.replaceAll(/\s+/g, ' '))
    .filter((text) => WORDS.test(text) && !COMMAND.test(text) && !CODE.test(text));
  const inAnswers = [...content.matchAll(MESSAGE_MEMBER)].map(([, text = '']) => text.replaceAll('\\"', '"'));
  const ofPrograms = [...content.matchAll(PROGRAM_MESSAGE)].map(([, text = '']) => text);
  return [...inProse, ...inAnswers, ...ofPrograms].map((text) => ({ page, text }));
}

/** Returns the text of all sources, with `…` where something is filled in; what is put together of several texts is one. */
export function readSources(): string {
  const sources = ROOMS.flatMap(listFiles).filter((file) => /\.tsx?$/.test(file));
  return [...sources, ...OTHERS.flatMap(listFiles)]
    .map((file) => readFileSync(file, 'utf8').replaceAll(FILLED_IN, '…').replaceAll(JOINED, ''))
    .join('\n');
}

/** Whether the sources have a message: each part of it that stands between numbers, quotations, names and what is left out. */
export function hasMessage(sources: string, message: string): boolean {
  const parts = message
    .replace(/^(?:\S+: )+/, '')
    .split(FILLED)
    .flatMap((part) => part.split('; '))
    .map((part) => part.replaceAll(/^[ :,;]+|[ :,;]+$/g, ''));
  return parts.filter((part) => /\S \S/.test(part)).every((part) => hasPart(sources, part));
}

/** Whether a part stands in the sources, as it is or with something filled in at one place of it. */
function hasPart(sources: string, part: string): boolean {
  if (sources.includes(part)) return true;
  const words = part.split(' ');
  return words.some((_, first) =>
    words.some((__, length) => {
      const [before, after] = [words.slice(0, first), words.slice(first + length + 1)];
      // What is filled in is the smaller part.
      if (before.length + after.length <= length + 1) return false;
      return sources.includes([...before, '…', ...after].join(' '));
    }),
  );
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
}
