import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface SectionLink {
  readonly link: string;
  readonly words: string;
  readonly isHere: boolean;
}

/** Links to the sections of a page: one line, which scrolls on a phone as far as the current one. */
export function SectionLinks({
  label,
  sections,
}: Readonly<{ label: string; sections: readonly SectionLink[] }>): JSX.Element {
  const line = useRef<HTMLElement>(null);
  const current = sections.find(({ isHere }) => isHere)?.link;
  // Another language, or texts that arrive after the page, move all of them.
  const allWords = sections.map(({ words }) => words).join('\n');
  useLayoutEffect(() => {
    line.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  }, [current, allWords]);
  return (
    <nav ref={line} class="sections" aria-label={label}>
      {sections.map(({ link, words, isHere }) => (
        <a key={link} href={link} aria-current={isHere ? 'page' : undefined}>
          {words}
        </a>
      ))}
    </nav>
  );
}
