-- compatible
-- What users see of a partner, with its name and its site (docs/adr/0034).
ALTER TABLE partners
  ADD COLUMN logo text, -- digest and ending of the picture, which are in its address
  ADD COLUMN logo_image bytea CHECK (length(logo_image) <= 65536), -- PNG or WebP
  ADD COLUMN privacy_url text,
  ADD COLUMN description text,
  ADD CHECK ((logo IS NULL) = (logo_image IS NULL));

-- Finds the picture of an address. Partners may share one.
CREATE INDEX partners_by_logo ON partners (logo) WHERE logo IS NOT NULL;
