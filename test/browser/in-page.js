/**
 * What the browser itself can tell of a page. The text of this file is one expression: an object of functions, which
 * test/browser/page-checks.ts evaluates in the page. It works where a page may run no script of its own.
 */
({
  /** Elements whose box leaves the window sideways, outside of a part that scrolls by itself; and those that are hidden, and stand there all the same. */
  overflow() {
    const wide = document.documentElement.clientWidth;
    const isInScroller = (element) => {
      for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement)
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
      return false;
    };
    const out = [...document.body.querySelectorAll('*')].filter((element) => {
      const { right, left, width } = element.getBoundingClientRect();
      return width > 0 && right > wide + 1 && left < right && !isInScroller(element);
    });
    const page = document.scrollingElement;
    const there = [...document.querySelectorAll('[hidden]')].filter((one) => one.getClientRects().length > 0);
    if (there.length > 0) return there.map((one) => `is hidden, and there: ${this.named(one)}`);
    const broken = [...this.cutChoices(), ...this.brokenFlags()];
    if (broken.length > 0) return broken;
    if (page.scrollWidth <= wide && out.length === 0) return [];
    return [`the page is ${page.scrollWidth} px wide in ${wide} px`, ...out.slice(0, 3).map(this.named)];
  },

  /** Lists that have no room for what is chosen in them. */
  cutChoices() {
    const cut = [...document.querySelectorAll('select')].filter((list) => {
      if (!list.checkVisibility()) return false;
      const alone = list.cloneNode(true);
      alone.removeAttribute('id');
      alone.replaceChildren(list.selectedOptions[0]?.cloneNode(true) ?? '');
      Object.assign(alone.style, { position: 'absolute', width: 'max-content' });
      list.after(alone);
      const needs = alone.offsetWidth;
      alone.remove();
      return needs > list.offsetWidth;
    });
    return cut.map((list) => `has no room for what is chosen: ${this.named(list)}`);
  },

  /** Flags of a command that stand on two lines, where they read as two words. */
  brokenFlags() {
    const flags = [...document.querySelectorAll('pre.wraps .flag')].filter(
      (flag) => flag.getClientRects().length > 1,
    );
    return flags.map((flag) => `is broken over two lines: ${this.named(flag)}`);
  },

  /** A text of HTML as a page that no script has changed. */
  parsed(html) {
    return new DOMParser().parseFromString(html, 'text/html').documentElement.outerHTML;
  },

  /** Without script: buttons that nothing answers, and a page without heading or text. */
  scriptless() {
    const dead = [...document.querySelectorAll('button')].filter(
      (button) => button.checkVisibility() && (button.form === null || button.type === 'button'),
    );
    const empty = (document.querySelector('main h1')?.textContent ?? '').trim() === '' ? ['no heading'] : [];
    return [...empty, ...dead.map((button) => `does nothing without script: ${this.named(button)}`)];
  },

  /** What the keyboard must reach, in its order. */
  stops() {
    return [
      ...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]'),
    ].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.disabled &&
        element.tabIndex >= 0 &&
        // of a group of radio buttons the keyboard reaches the chosen one
        !(element.type === 'radio' && !element.checked),
    );
  },

  /** How many of them lie between the focus and an element, itself included. */
  stopsTo(selector) {
    const goal = document.querySelector(selector);
    // after the link that skips, nothing has the focus, and the next stop is behind its target
    const { activeElement, body } = document;
    const from = activeElement === body ? (document.querySelector(':target') ?? body) : activeElement;
    const isBetween = (stop) =>
      from.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING &&
      !(goal.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING);
    return this.stops().filter(isBetween).length;
  },

  /** What the status line of a form says, or another part of it, once it says this, or after a minute. */
  async said(pattern, place = '[data-status]') {
    const line = document.querySelector(place);
    const isSaid = () => new RegExp(pattern).test(line.textContent);
    await new Promise((resolve) => {
      if (isSaid()) return resolve();
      const watch = new MutationObserver(() => isSaid() && resolve(watch.disconnect()));
      setTimeout(resolve, 60_000);
      watch.observe(line, { childList: true, characterData: true, subtree: true });
    });
    return line.textContent;
  },

  /** What is wrong with a form that shows an answer: whatever came is text, of which so much is shown, and fits. */
  answerFaults(most) {
    const answer = document.querySelector('[data-answer]');
    const marks = answer.querySelectorAll('code *').length;
    const { length } = answer.textContent;
    return [
      ...this.overflow(),
      ...(marks === 0 ? [] : ['has elements of the answer']),
      ...(length <= most ? [] : [`shows ${length} characters`]),
    ];
  },

  /** Marks what the keyboard must reach, and writes down what the focus comes to. Returns how many there are. */
  watchFocus() {
    const all = this.stops();
    const state = { left: new Set(all), faults: new Set() };
    globalThis.focusSeen = state;
    document.addEventListener('focusin', ({ target }) => {
      state.left.delete(target);
      const { outlineStyle, outlineWidth } = getComputedStyle(target);
      const { left, right, top, bottom, width } = target.getBoundingClientRect();
      const isSeen = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight && width > 0;
      if (!isSeen) state.faults.add(`has the focus out of sight: ${this.named(target)}`);
      if (outlineStyle === 'none' || outlineWidth === '0px')
        state.faults.add(`shows no focus: ${this.named(target)}`);
    });
    return all.length;
  },

  /** What the keyboard did not come to, and where its focus could not be seen. */
  focusFaults() {
    const { left, faults } = globalThis.focusSeen;
    return [...faults, ...[...left].map((element) => `is not reached: ${this.named(element)}`)];
  },

  /** Whether the focus is on the link that skips the navigation, in sight. */
  isAtSkip() {
    const { activeElement } = document;
    return activeElement.matches('.skip') && activeElement.getBoundingClientRect().left >= 0;
  },

  /** After that link the focus is in the content, where something there can have it. */
  skipFaults() {
    const main = document.querySelector('main');
    const isThere = main.contains(document.activeElement) || !main.querySelector('a[href], button, input');
    return isThere ? [] : [`the skip link leads to ${this.named(document.activeElement)}`];
  },

  /** An element as a reader of a report finds it again. */
  named(element) {
    const text = (element.textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 40);
    const name = element.getAttribute('name') ?? element.getAttribute('href') ?? '';
    const { left, right } = element.getBoundingClientRect();
    return `<${element.localName}${element.className ? ` class=${element.className}` : ''} ${name.slice(0, 60)}> "${text}" (${Math.round(left)}..${Math.round(right)} px)`;
  },
});
