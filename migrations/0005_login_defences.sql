-- compatible
-- Whose password is verified in place of one that nobody has: the next user's in the order of the addresses (begin_login).
CREATE INDEX users_with_password ON users (email_folded) WHERE password_hash IS NOT NULL;
