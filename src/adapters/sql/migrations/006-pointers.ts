/** Who points to a domain's file. The many domains that a network names are not in it: they are found by their declarer. */
export const POINTERS = `
CREATE INDEX reference_pointer ON reference_to (domain, declarer)
  WHERE file = 'adagents' AND reason <> 'publisher_selector';
`;
