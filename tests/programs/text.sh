. support/lib.sh
programs text
