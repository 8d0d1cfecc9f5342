. support/lib.sh
programs addons
