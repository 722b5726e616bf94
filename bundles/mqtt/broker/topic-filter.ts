/** Returns true if a topic matches a filter with the wildcards `+` and `#` (MQTT 5.0, 4.7). */
export function matchesFilter(filter: string, topic: string): boolean {
  const levels = topic.split('/');
  const wanted = filter.split('/');
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
