/** Names that a template may contain, in braces. */
export type TopicName = 'gateway' | 'recorder' | 'asset' | 'channel';

/** Values of the names in a template. */
export type TopicValues = Readonly<Partial<Record<TopicName, string>>>;

/** Topic with names that are replaced by those of the message. */
export interface TopicTemplate {
  /** As it was set. */
  readonly text: string;
  /** Names that occur in it. */
  readonly names: ReadonlySet<TopicName>;
  /**
   * Returns the topic of a message.
   *
   * Characters of a value that have a meaning in topics, `/`, `+`, `#` and NUL, are percent-encoded, and `%` with them.
   *
   * @param values one for each name that occurs
   * @throws {RangeError} if the topic is longer than 65,535 bytes (MQTT 5.0, 1.5.4)
   */
  format(values: TopicValues): string;
}

/** Template that cannot be used; its message names the setting and the place. */
export class TopicTemplateError extends Error {
  override readonly name = 'TopicTemplateError';
}

/** Longest template: the values of its names have room in a topic. */
const MAXIMUM_TEMPLATE_LENGTH = 1024;
const MAXIMUM_TOPIC_BYTES = 65_535;
const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Checks a topic template.
 *
 * @param setting name of the setting, for the error
 * @param allowed names that it may contain
 * @throws {TopicTemplateError} for wildcards, empty levels, NUL, half surrogate pairs, unknown names, unpaired braces, and templates
 *   that are empty or longer than 1,024 characters
 */
export function parseTopicTemplate(
  setting: string,
  text: string,
  allowed: readonly TopicName[],
): TopicTemplate {
  const fault = findFault(text, allowed);
  if (fault !== undefined) throw new TopicTemplateError(`${setting}: ${fault}`);
  // Odd pieces are names.
  const pieces = text.split(PLACEHOLDER);
  const names = new Set(allowed.filter((name) => text.includes(`{${name}}`)));
  return {
    text,
    names,
    format(values) {
      const topic = pieces
        .map((piece, index) => (index % 2 === 0 ? piece : encode(values[piece as TopicName] ?? '')))
        .join('');
      if (topic.length > MAXIMUM_TOPIC_BYTES / 3 && Buffer.byteLength(topic) > MAXIMUM_TOPIC_BYTES) {
        throw new RangeError(`the topic is longer than ${MAXIMUM_TOPIC_BYTES} bytes`);
      }
      return topic;
    },
  };
}

/** Returns the reason why a text is no topic to publish to (MQTT 5.0, 4.7); undefined if it is one. */
export function findTopicFault(text: string): string | undefined {
  if (text === '') return 'the topic is empty';
  if (text.includes('\0')) return 'NUL is not allowed in a topic';
  if (!text.isWellFormed()) return 'half of a surrogate pair is not allowed in a topic';
  const wildcard = /[+#]/.exec(text);
  if (wildcard !== null) return `the wildcard "${wildcard[0]}" is not allowed in a topic`;
  if (Buffer.byteLength(text) > MAXIMUM_TOPIC_BYTES) return `longer than ${MAXIMUM_TOPIC_BYTES} bytes`;
  return undefined;
}

function findFault(text: string, allowed: readonly TopicName[]): string | undefined {
  if (text.length > MAXIMUM_TEMPLATE_LENGTH) return `longer than ${MAXIMUM_TEMPLATE_LENGTH} characters`;
  const fault = findTopicFault(text);
  if (fault !== undefined) return fault;
  if (text.split('/').includes('')) return `empty level in "${text}"`;
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (allowed.some((each) => each === name)) continue;
    return `unknown name {${name}}; expected ${allowed.map((each) => `{${each}}`).join(', ')}`;
  }
  if (/[{}]/.test(text.replaceAll(PLACEHOLDER, ''))) return `unpaired brace in "${text}"`;
  return undefined;
}

function encode(value: string): string {
  // oxlint-disable-next-line no-control-regex -- NUL is not allowed in topics
  return value.replaceAll(/[%/+#\u0000]/g, (character) => encodeURIComponent(character));
}
