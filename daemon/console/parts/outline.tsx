import type { JSX } from 'preact';

/**
 * Stands for rows that are loading, as high as they will be. For the first moment nothing is seen: most of what is asked for
 * is there by then.
 */
export function Outline({ rows = 3 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="outline" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <OutlineWord key={index} />
      ))}
    </div>
  );
}

/** Stands for a word or a number that is loading. */
export function OutlineWord(): JSX.Element {
  return <span class="outline-word" aria-hidden="true" />;
}
