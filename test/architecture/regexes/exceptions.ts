/** Expressions that no automaton proves to be linear, and why they may stand. A text is where one is made, as `npm run regexes` prints it. */
export const EXCEPTIONS: readonly (readonly [what: RegExp | string, why: string])[] = [
  // Made of a text.
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of our code
    'new RegExp(`^${text}$`)',
    'made of the paths of our own routes, in which each open part ends at the next slash',
  ],
  ['new RegExp(source, flags)', 'the patterns of schemas/trusted-match, which are judged where they stand'],

  // Too many states: repeated up to a number.
  [
    /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
    'anchored, each label ends at its dot, and a host has at most 253 characters',
  ],
  [
    /^(?:[a-z0-9-]{1,63}\.)*[a-z]{1,63}$/,
    'anchored, each label ends at its dot, and an address has at most 2,000 characters',
  ],
  [
    /^(?:[a-z0-9-]{1,63}\.)+[a-z]{1,63}$/,
    'anchored, each label ends at its dot, and only names of at most 253 characters come here',
  ],
  [
    /^https:\/\/(?:[a-z0-9-]{1,63}\.)*[a-z]{1,63}\/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)?$/,
    'anchored, each label ends at its dot, each segment at its slash, and an address has at most 2,000 characters',
  ],
  [
    /"request_id"\s*:\s*"([\w-]{1,64})"/,
    'begins with a fixed name, so no two tries read the same blanks, and each part ends at a sign of its own',
  ],
  [
    /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i,
    'anchored, no part can have what the next one begins with, and Node bounds a header',
  ],
  [
    /^\{"request_id":"([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})","token":"([A-Za-z0-9_-]{32,128})","package_ids":(\["[a-z0-9",._-]+"\])\}$/,
    'anchored, each part ends at its quote, and the only open one has nothing but the end behind it',
  ],
  [
    /^https:\/\/[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?(\/[A-Za-z0-9._~%/,-]*)?$/u,
    'anchored, a host of at most 253 characters, and a path that nothing comes behind',
  ],
  [
    /(?:^|\.)([^.[\]]+)|\[(?:(\d{1,9})|(\*)|([^\]=]{1,200})=([^\]]{0,200}))\]/y,
    'sticky, so tried at one place only, and each part ends at a dot or a bracket',
  ],
  [
    /\$(?:(context|test_kit|prior_step)\.([A-Za-z_][\w-]*)((?:\.[A-Za-z_][\w-]*|\[[^[\]$\s]+\])*)|(generate):(\w+(?:#[\w.-]+)?)|(agent_url)\b)|\{\{([^{}]+)\}\}/g,
    'begins with $ or {{, and no part can have in it what begins another match',
  ],

  [
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
    'each part ends at a hyphen; a file of the operator',
  ],

  // The checker knows no lookaround.
  [
    /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![^\s,;:}\]{["'/#])/y,
    'sticky, so tried at one place only; each part begins with what cannot stand in the one before',
  ],
  [
    /\s*(?:(&&|\|\||[=!<>]=|[<>!()])|('[^']*'|"[^"]*")|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*|\[[^\]'"\s]*\])*))/y,
    'sticky, so tried at one place only, and no two of its ways begin with the same character',
  ],
  [/\/\d+(?=\/| |$)/g, 'digits end at the next slash or blank, and begin behind a slash'],
  [/^::ffff:(?=\d+\.)/, 'anchored, and digits end at a dot; an address as Node writes it'],
  [
    /^(?=.*\.)(?!.*\.[0-9]+\.?$)[^\s/:@?#%\\]+$/u,
    'three passes over the text; the digits behind a dot end at the next one',
  ],

  // Words of a message to the creative agent of the sandbox, at most 2,000 characters each.
  [
    /[.;!?\n]+|,? \b(?:and|but|then) (?=(?:make|mention|say|add|include|highlight|use|remove|drop|without|set|change|headline|button|cta)\b)|, ?(?=(?:make|mention|say|add|include|highlight|use|remove|drop|without|set|change|headline|button|cta)\b)|,? (?=(?:mention|say|highlight|includ)ing )|,? (?:with|and|using) (?:an? |the )?(?=(?:headline|title|button|cta|call to action)\b[^"]{0,40}")/gi,
    'looks ahead for a word, or for 40 characters after one',
  ],
  [
    /\b(headline|title|cta|call to action|button)\b[^":]{0,80}(?:"([^"]+)"|:\s*"?([^"]+))/i,
    'at most 80 characters after a word, and then up to a quote',
  ],
  [
    /^(?:please )?(?:(?:we|i) (?:need|want|would like) )?(?:(?:to )?(?:create|make|build|design|produce|write|generate|draw) )?(?:me |us )?(?:an? |some |the )?(?:[\w-]+ ){0,4}?(?:ads?|adverts?|advertisements?|banners?|creatives?|campaigns?|spots?|cards?|visuals?|pictures?) (?:for|about|on|to promote|promoting|announcing|that promotes?|that announces?) /i,
    'anchored, and only four words are open',
  ],
  [
    / (?:with|on|in) (?:[\w#-]+ ){0,3}(?:background|ground|backdrop|text|letters|button|accent)s?\b/gi,
    'begins with a word, and only three more are open',
  ],
];
