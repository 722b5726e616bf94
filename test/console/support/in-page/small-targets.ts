/** Returns what can be pressed and is lower or narrower than 24 pixels (WCAG 2.2, 2.5.8), but for links within sentences. */
export function listSmallTargets(): readonly string[] {
  const selector = 'a[href], button, input, select, textarea, summary, [role=option]';
  return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((target) => {
    const pressed =
      (target.matches('[type=checkbox], [type=radio]') ? target.closest('label') : null) ?? target;
    const { width, height } = pressed.getBoundingClientRect();
    const isSeen = target.checkVisibility({ visibilityProperty: true }) && !target.matches('.skip');
    const isInSentence = target.matches('p > a');
    return !isSeen || isInSentence || (width >= 24 && height >= 24)
      ? []
      : [
          `${target.tagName} "${(pressed.textContent ?? '').trim()}" ${Math.round(width)} × ${Math.round(height)}`,
        ];
  });
}
